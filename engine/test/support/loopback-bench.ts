/** Test support: loopback servers and resolvers that are closed together when a test file is done. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { systemClock } from '../../src/clock.ts';
import { defaultLimits } from '../../src/limits.ts';
import type { Limits } from '../../src/limits.ts';
import type { Patience } from '../../src/patience.ts';
import type { CanonicalHost } from '../../src/syntax/address.ts';
import { canonicalHost } from '../../src/syntax/canonical-host.ts';
import { createResolver } from '../../src/dns/create-resolver.ts';
import type { DnsResolver } from '../../src/dns/create-resolver.ts';
import { startLoopbackDns } from './loopback-dns.ts';
import type { LoopbackDns, Mischief, Zone } from './loopback-dns.ts';
import type { DnsServer } from '../../src/dns/question.ts';

export function loopbackBench() {
  const closers: (() => unknown)[] = [];
  return {
    server: async (zone: Zone, mischief?: Mischief): Promise<LoopbackDns> => {
      const dns = await startLoopbackDns(mischief === undefined ? { zone } : { zone, mischief });
      closers.push(() => dns.close());
      return dns;
    },
    resolver: (servers: DnsServer[], limits: Partial<Limits> = {}): DnsResolver => {
      const made = createResolver({ servers, clock: systemClock, limits: { ...defaultLimits, ...limits } });
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

export function patience(ms = 10_000, signal = new AbortController().signal): Patience {
  return { deadline: systemClock.now() + ms, signal };
}

export function host(name: string): CanonicalHost {
  const canonical = canonicalHost(name);
  assert.ok(canonical !== undefined, `${name} is not canonical`);
  return canonical;
}

/** Short waits, so that the tests of silence are over soon. */
export const hasty = { dnsTryMs: 60, dnsLookupMs: 400 };

/** A long wait before the next try: what is done at once is not done by the timer. */
export const patient = { dnsTryMs: 3_000 };

/** An address where nobody listens: bound and let go. */
export async function deadServer(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return { ip: '127.0.0.1', port };
}

/** Settles within `ms` and a slack that a loaded machine keeps; what it must not do takes longer by far. */
export async function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  const startedAt = systemClock.now();
  const value = await work;
  const took = systemClock.now() - startedAt;
  assert.ok(took < ms + 1_000, `took ${Math.round(took)} ms of ${ms}`);
  return value;
}
