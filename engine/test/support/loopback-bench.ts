/** Test support: loopback servers and resolvers that are closed together when a test file is done. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { systemClock, type Clock } from '../../src/clock.ts';
import { defaultLimits } from '../../src/limits.ts';
import type { Limits } from '../../src/limits.ts';
import type { Patience } from '../../src/patience.ts';
import type { CanonicalHost } from '../../src/syntax/address.ts';
import { canonicalMailHost } from '../../src/syntax/canonical-host.ts';
import { createResolver } from '../../src/dns/create-resolver.ts';
import type { DnsResolver } from '../../src/dns/create-resolver.ts';
import { startLoopbackDns } from './loopback-dns.ts';
import type { LoopbackDns, Mischief, Zone } from './loopback-dns.ts';
import type { DnsServer } from '../../src/dns/lookup.ts';

/** A server that answers has all the time in the world, so that a busy machine does not look like a silent server. */
const unhurried = { dnsLookupMs: 60_000 };

export function loopbackBench() {
  const closers: (() => unknown)[] = [];
  return {
    server: async (zone: Zone, mischief?: Mischief): Promise<LoopbackDns> => {
      const dns = await startLoopbackDns(mischief === undefined ? { zone } : { zone, mischief });
      closers.push(() => dns.close());
      return dns;
    },
    resolver: (
      servers: DnsServer[],
      limits: Partial<Limits> = {},
      clock: Clock = systemClock,
    ): DnsResolver => {
      const made = createResolver({ servers, clock, limits: { ...defaultLimits, ...unhurried, ...limits } });
      closers.push(() => made.close());
      return made;
    },
    onClose: (close: () => unknown): void => {
      closers.push(close);
    },
    close: async (): Promise<void> => {
      await Promise.all(closers.map((close) => close()));
    },
  };
}

export function patience(ms = 60_000, signal = new AbortController().signal): Patience {
  return { deadline: systemClock.now() + ms, signal };
}

export function host(name: string): CanonicalHost {
  const canonical = canonicalMailHost(name);
  assert.ok(canonical !== undefined, `${name} is not canonical`);
  return canonical;
}

/** Short waits, so that the tests of silence are over soon. */
export const hasty = { dnsTryMs: 60, dnsLookupMs: 400 };

/** A long wait before the next try: the timer cannot be the cause of an action that comes at once. */
export const patient = { dnsTryMs: 50_000 };

/** An address without a listener: bound and let go. */
export async function deadServer(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return { ip: '127.0.0.1', port };
}

/** How late a loaded machine may be. Waits that must not happen take longer by far: see `patient` and `patience`. */
const slackMs = 20_000;

/** Settles within `ms`, give or take how late a loaded machine is. */
export async function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  const startedAt = systemClock.now();
  const value = await work;
  const took = systemClock.now() - startedAt;
  assert.ok(took < ms + slackMs, `took ${Math.round(took)} ms of ${ms}`);
  return value;
}
