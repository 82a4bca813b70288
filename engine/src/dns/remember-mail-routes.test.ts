import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultLimits } from '../limits.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import { createTestClock } from '../../test/support/test-clock.ts';
import type { MailRoute } from './mail-route.ts';
import type { DnsQuestion } from './question.ts';
import { rememberMailRoutes } from './remember-mail-routes.ts';

const patience = { deadline: Infinity, signal: new AbortController().signal };

function host(name: string): CanonicalHost {
  const found = canonicalHost(name);
  if (found === undefined) throw new Error(name);
  return found;
}

const domain = host('example.test');
const first = { name: host('mx.example.test'), addresses: ['192.0.2.1'] };
const takesMail: MailRoute = {
  kind: 'takes_mail',
  implicit: false,
  mxRecords: [first.name],
  preferred: 1,
  first,
  further: [],
};

function setUp(route: MailRoute, lives: Record<string, number>) {
  const clock = createTestClock();
  let found = 0;
  const routes = rememberMailRoutes({
    clock,
    limits: defaultLimits,
    resolver: { lifeMs: ({ name, type }: DnsQuestion) => lives[`${type} ${name}`] ?? 0 },
    findMailRoute: () => {
      found += 1;
      return Promise.resolve(route);
    },
  });
  return { routes, advance: (ms: number) => clock.advance(ms), found: () => found };
}

const lives = { 'MX example.test': 60_000, 'A mx.example.test': 30_000, 'AAAA mx.example.test': 45_000 };

test('a route is recalled until the first of its answers runs out', async () => {
  const { routes, advance, found } = setUp(takesMail, lives);
  assert.equal(routes.recall(domain), undefined);
  await routes.find(domain, patience);
  assert.deepEqual(routes.recall(domain), takesMail);
  advance(29_999);
  assert.deepEqual(await routes.find(domain, patience), takesMail);
  assert.equal(found(), 1);
  advance(1);
  assert.equal(routes.recall(domain), undefined);
  await routes.find(domain, patience);
  assert.equal(found(), 2);
});

test('a route with an answer that may not be kept is not remembered', async () => {
  const { routes } = setUp(takesMail, { ...lives, 'MX example.test': 0 });
  await routes.find(domain, patience);
  assert.equal(routes.recall(domain), undefined);
});

test('a route with IPv4 addresses is remembered without AAAA records, one of IPv6 alone not', async () => {
  const ofIpv4 = { ...lives, 'AAAA mx.example.test': 0 };
  const { routes } = setUp(takesMail, ofIpv4);
  await routes.find(domain, patience);
  assert.deepEqual(routes.recall(domain), takesMail);
  const overIpv6: MailRoute = { ...takesMail, first: { ...first, addresses: ['2001:db8::1'] } };
  const { routes: ofIpv6 } = setUp(overIpv6, ofIpv4);
  await ofIpv6.find(domain, patience);
  assert.equal(ofIpv6.recall(domain), undefined);
});

test('an undetermined route is found out anew each time', async () => {
  const route = { kind: 'undetermined', failure: 'servfail' } as const;
  const { routes, found } = setUp(route, { 'MX example.test': 60_000 });
  await routes.find(domain, patience);
  await routes.find(domain, patience);
  assert.equal(routes.recall(domain), undefined);
  assert.equal(found(), 2);
});

/** Of the domain: the lives of its records, and whether the refusal is remembered. */
const refusals = [
  { why: 'null_mx', lives: { MX: 60_000 }, remembered: true },
  { why: 'no_such_domain', lives: { MX: 60_000, A: 60_000 }, remembered: true },
  { why: 'no_such_domain', lives: { MX: 60_000 }, remembered: false },
  { why: 'no_mail_host', lives: { MX: 60_000, A: 60_000, AAAA: 60_000 }, remembered: true },
  { why: 'no_mail_host_resolves', lives: { MX: 60_000, A: 60_000, AAAA: 60_000 }, remembered: false },
] as const;
for (const { why, lives: lifeOf, remembered } of refusals) {
  const title = `${why} is ${remembered ? 'believed without another proof' : 'proved anew'} while ${Object.keys(lifeOf).join(', ')} live`;
  test(title, async () => {
    const named = Object.fromEntries(
      Object.entries(lifeOf).map(([type, ms]) => [`${type} example.test`, ms]),
    );
    const { routes, found } = setUp({ kind: 'refuses_mail', why }, named);
    await routes.find(domain, patience);
    await routes.find(domain, patience);
    assert.equal(found(), remembered ? 1 : 2);
  });
}
