/** Test support: the route of one domain in a zone on loopback, and the routes a test may expect. */
import assert from 'node:assert/strict';
import { systemClock } from '../../src/clock.ts';
import { defaultLimits } from '../../src/limits.ts';
import type { Limits } from '../../src/limits.ts';
import { findMailRoute, type MailRoute } from '../../src/dns/mail-route.ts';
import { host, patience } from './loopback-bench.ts';
import type { loopbackBench } from './loopback-bench.ts';
import type { LoopbackDns, Mischief, Zone } from './loopback-dns.ts';

export const domain = host('example.test');

/** The route of `example.test` in a zone, and the server that was asked. */
export async function routeIn(
  bench: ReturnType<typeof loopbackBench>,
  zone: Zone,
  { mischief, limits = {} }: { mischief?: Mischief; limits?: Partial<Limits> } = {},
): Promise<{ route: MailRoute; dns: LoopbackDns }> {
  const dns = await bench.server(zone, mischief);
  const all = { ...defaultLimits, ...limits };
  const parts = { resolver: bench.resolver([dns], limits), clock: systemClock, limits: all };
  return { route: await findMailRoute(domain, parts, patience()), dns };
}

export function refuses(why: (MailRoute & { kind: 'refuses_mail' })['why']): MailRoute {
  return { kind: 'refuses_mail', why };
}

export function undetermined(failure: (MailRoute & { kind: 'undetermined' })['failure']): MailRoute {
  return { kind: 'undetermined', failure };
}

/** A route over these names, the first of which has one address. */
export function takes(names: string[], address = '192.0.2.1'): MailRoute & { kind: 'takes_mail' } {
  const [first, ...further] = names.map(host);
  assert.ok(first !== undefined);
  const mailHost = { name: first, addresses: [address] };
  return {
    kind: 'takes_mail',
    implicit: false,
    mxRecords: [first, ...further],
    preferred: 1,
    first: mailHost,
    further,
  };
}

export const up = { a: ['192.0.2.1'] };
