/**
 * Random domains, MX targets, zones, cache histories and messages. The tests run a few of each,
 * `npm run fuzz` the full number. A broken promise throws, with the smallest input that breaks it.
 */
import assert from 'node:assert/strict';
import { encode } from 'dns-packet';
import fc from 'fast-check';
import { systemClock } from '../../src/clock.ts';
import { defaultLimits } from '../../src/limits.ts';
import type { CanonicalHost } from '../../src/syntax/address.ts';
import { canonicalHost, canonicalMailHost } from '../../src/syntax/canonical-host.ts';
import { cachedResolver } from '../../src/dns/cached-resolver.ts';
import { createResolver } from '../../src/dns/create-resolver.ts';
import { createTestClock } from '../support/test-clock.ts';
import { findMailRoute, type MailRoute } from '../../src/dns/mail-route.ts';
import type { Lookup, Resolver, LookupOrder, WireLookup } from '../../src/dns/lookup.ts';
import { rcodes, startLoopbackDns } from '../support/loopback-dns.ts';
import type { Zone, ZoneEntry } from '../support/loopback-dns.ts';
import { host, patience } from '../support/loopback-bench.ts';
import { mailTargets } from '../../src/dns/mail-targets.ts';
import { readAnswer } from '../../src/dns/read-answer.ts';

type FuzzSize = { runs: number };

/** Threats C3: the most queries that one verification may cost, whatever the zones hold. */
const MAX_QUERIES = 12;

/** A domain is refused, or the labels that leave the socket are those of its canonical form. */
export async function fuzzWireNames({ runs }: FuzzSize): Promise<{ asked: number }> {
  const wireNames: string[] = [];
  const dns = await startLoopbackDns({
    zone: {},
    mischief: ({ request, reply }) => {
      wireNames.push(labelsOf(request).join('|'));
      return [encode(reply)];
    },
  });
  const resolver = createResolver({ servers: [dns], clock: systemClock, limits: defaultLimits });
  let asked = 0;
  try {
    await fc.assert(
      fc.asyncProperty(domains, async (domain) => {
        const canonical = canonicalHost(domain);
        if (canonical === undefined) return;
        asked += 1;
        wireNames.length = 0;
        await resolver.uncached.mx(canonical, patience());
        assert.deepEqual([...new Set(wireNames)], [canonical.split('.').join('|')]);
        assert.match(canonical, /^[a-z0-9.-]+$/);
      }),
      { numRuns: runs, examples: hostileNames.map((name) => [name]) },
    );
  } finally {
    resolver.close();
    await dns.close();
  }
  return { asked };
}

/** MX records may hold any name, but only canonical names are ever asked about or handed on. */
export async function fuzzMxTargets({ runs }: FuzzSize): Promise<void> {
  const exchanges = fc.array(fc.tuple(fc.nat(3), fc.oneof(domains, fc.constantFrom('.', '', 'localhost'))), {
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(exchanges, async (mx) => {
      const asked: string[] = [];
      const address = (name: CanonicalHost): Promise<Lookup<string>> => {
        asked.push(name);
        return Promise.resolve(
          asked.length % 3 === 0 ? { kind: 'found', records: ['192.0.2.1'] } : { kind: 'no_data' },
        );
      };
      const records = mx.map(([preference, exchange]) => ({ preference, exchange }));
      const resolver = { ...noResolver, ipv4: address, ipv6: address, mx: () => found(records) };
      const route = await findMailRoute(host('example.test'), partsWith(resolver), patience());
      if (route.kind === 'takes_mail')
        await Array.fromAsync(mailTargets(route, partsWith(resolver), patience()));
      const handedOn =
        route.kind === 'takes_mail' ? [...route.mxRecords, ...route.further, route.first.name] : [];
      for (const name of [...asked, ...handedOn]) assert.equal(canonicalMailHost(name), name);
      assert.ok(new Set(asked).size <= defaultLimits.mailHostLookups);
    }),
    { numRuns: runs, examples: hostileNames.map((name) => [[[1, name]]]) },
  );
}

/** However the zones are knotted, a verification ends, within its queries and with a sound route. */
export async function fuzzZoneGraphs({ runs }: FuzzSize): Promise<{ most: number }> {
  const dns = await startLoopbackDns({ zone: {} });
  const clock = systemClock;
  const resolver = createResolver({ servers: [dns], clock, limits: defaultLimits });
  let most = 0;
  try {
    await fc.assert(
      fc.asyncProperty(zones, async (zone) => {
        dns.zone = zone;
        dns.queries.length = 0;
        const within = { deadline: clock.now() + 20_000, signal: new AbortController().signal };
        const parts = { resolver: resolver.uncached, clock, limits: defaultLimits };
        const route = await findMailRoute(host('example.test'), parts, within);
        if (route.kind === 'takes_mail') await holdsTargets(route, parts, zone);
        most = Math.max(most, dns.queries.length);
        assert.ok(dns.queries.length <= MAX_QUERIES, `${dns.queries.length} queries`);
      }),
      { numRuns: runs, examples: [[worstZone()]] },
    );
  } finally {
    resolver.close();
    await dns.close();
  }
  return { most };

  async function holdsTargets(
    route: MailRoute & { kind: 'takes_mail' },
    parts: { resolver: Resolver; limits: typeof defaultLimits },
    zone: Zone,
  ): Promise<void> {
    const within = { deadline: clock.now() + 20_000, signal: new AbortController().signal };
    const targets = await Array.fromAsync(mailTargets(route, parts, within));
    assert.ok(targets.length >= 1 && targets.length <= defaultLimits.mailAddresses);
    const known = new Set(
      Object.values(zone).flatMap((entry) => [...(entry.a ?? []), ...(entry.aaaa ?? [])]),
    );
    for (const { address } of targets) assert.ok(known.has(address), `${address} is in no zone`);
  }
}

/** An answer kept for one question never shows in the answer to another. */
export async function fuzzCacheKeys({ runs }: FuzzSize): Promise<void> {
  const questions = fc.record({
    name: fc.oneof(
      fc.constantFrom('a.test', 'b.test', 'a.b.test', 'mx.a', 'a.mx', 'aaaa.test'),
      canonicalDomains,
    ),
    type: fc.constantFrom('MX', 'A', 'AAAA', 'TXT', 'PTR'),
  });
  const steps = fc.array(
    fc.record({ question: questions, ttlS: fc.constantFrom(0, 5, 60), waitMs: fc.nat(20_000) }),
    {
      maxLength: 40,
    },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const clock = createTestClock();
      let ttlS = 0;
      let serial = 0;
      const latest = new Map<string, string>();
      const begin = ({ question: { type, name }, owner }: LookupOrder): WireLookup => {
        serial += 1;
        const text = `${type}/${name}/${serial}`;
        latest.set(`${type}/${name}`, text);
        owner.answered({ lookup: { kind: 'found', records: [{ text, preference: 0 }] }, ttlS });
        return { giveUp: () => undefined };
      };
      const { ask } = cachedResolver(begin, { clock, limits: { ...defaultLimits, dnsCacheEntries: 5 } });
      for (const step of history) {
        ttlS = step.ttlS;
        clock.advance(step.waitMs);
        const signal = new AbortController().signal;
        const { lookup } = await ask(step.question, { deadline: clock.now() + 1_000, signal });
        const { type, name } = step.question;
        assert.deepEqual(lookup, {
          kind: 'found',
          records: [{ text: latest.get(`${type}/${name}`), preference: 0 }],
        });
      }
    }),
    { numRuns: runs },
  );
}

/** Any bytes at all are read without an exception, and only the question's own records come out. */
export function fuzzMessages({ runs }: FuzzSize): void {
  const question = { name: 'example.test', type: 'MX' } as const;
  const sound = encode({
    type: 'response',
    id: 7,
    questions: [question],
    answers: [
      { name: 'example.test', type: 'CNAME', ttl: 60, data: 'b.test' },
      { name: 'b.test', type: 'MX', ttl: 60, data: { preference: 10, exchange: 'mx.test' } },
    ],
    authorities: [
      { name: 'test', type: 'SOA', ttl: 60, data: { mname: 'a.test', rname: 'b.test', minimum: 30 } },
    ],
  });
  const wounds = fc.array(fc.tuple(fc.nat(sound.length - 1), fc.nat(255)), { maxLength: 6 });
  const wounded = fc.tuple(wounds, fc.nat(sound.length)).map(([places, cut]) => {
    const message = Buffer.from(sound);
    for (const [place, byte] of places) message[place] = byte;
    return message.subarray(0, cut % 3 === 0 ? cut : sound.length);
  });
  const noise = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.oneof(wounded, noise), (message) => {
      const reading = readAnswer(message, question);
      if (reading.kind !== 'answered') return;
      assert.ok(reading.answer.ttlS >= 0 && reading.answer.ttlS < 2 ** 31);
      if (reading.answer.lookup.kind !== 'found') return;
      for (const { preference } of reading.answer.lookup.records)
        assert.ok(preference >= 0 && preference <= 0xffff);
    }),
    { numRuns: runs },
  );
}

/** Names that have fooled resolvers, canonicalisers or comparisons. */
const hostileNames = [
  'a\0b.test',
  'example.com\0.evil.test',
  'example.com\0',
  'a b.test',
  'a\r\nb.test',
  '<script>.test',
  'a..test',
  '.test',
  'a.test.',
  '-a.test',
  'a-.test',
  '_a.test',
  '１２７.０.０.１',
  '127.1',
  '0x7f.1',
  '2130706433',
  '0177.0.0.1',
  '[127.0.0.1]',
  'localhost',
  'mail.localhost',
  '\u212a.test',
  'ｅxample.test',
  'a\u00ad.test',
  'a\u202eb.test',
  'a。test',
  'xn--a.test',
  'xn--.test',
  'EXAMPLE.TEST',
  'bücher.test',
  'faß.test',
  `${'a'.repeat(64)}.test`,
  `${'a.'.repeat(126)}test`,
];

const characters = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...Array.from('abcxyz0189-')) },
  { weight: 3, arbitrary: fc.constantFrom(...Array.from('ABCK_%*/\\@: \t"\'<>[]')) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCodePoint(code)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '\u00ad',
      '\u200b',
      '\u200d',
      '\u202e',
      '\u2066',
      '\u3002',
      '\uff0e',
      '\uff10',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('ü', 'ß', 'а', 'ο', 'ｅ', '\u212a', 'ı', '例', 'ש', '\u0301') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }) },
);
const plainLabel = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,10}[a-z0-9])?$/);
const label = fc.oneof(
  plainLabel,
  fc.array(characters, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
);

/** Names near the border of the canonical form; about a third are canonical. */
const domains = fc
  .array(label, { minLength: 1, maxLength: 5 })
  .chain((labels) =>
    fc.constantFrom('', '.test', '.EXAMPLE', '.', '.1').map((end) => labels.join('.') + end),
  );

const canonicalDomains = fc
  .array(plainLabel, { minLength: 1, maxLength: 3 })
  .map((labels) => `${labels.join('.')}.test`)
  .filter((name) => canonicalHost(name) === name);

/** Twelve names that point at each other in every way, some of which lead nowhere. */
const zoneNames = ['example.test', ...Array.from({ length: 11 }, (_, index) => `n${index}.test`)];
const anyName = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...zoneNames) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('.', 'localhost', '192.0.2.1', 'a b.test', '_u.test', 'gone.test'),
  },
);
const addresses = (size: number, prefix: string) =>
  Array.from({ length: size }, (_, index) => `${prefix}${index + 1}`);
// FORMERR is not among them: it is about our message and not about a zone, whose faults come as SERVFAIL.
const rcode = fc.constantFrom(rcodes.servfail, rcodes.refused, rcodes.nxdomain, rcodes.notimp, 9);
const entries: fc.Arbitrary<ZoneEntry> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ mx: fc.array(fc.tuple(fc.nat(3), anyName), { maxLength: 9 }) }) },
  { weight: 3, arbitrary: fc.constantFrom(1, 3, 200).map((size) => ({ a: addresses(size, '198.51.100.') })) },
  { weight: 2, arbitrary: fc.constantFrom(1, 100).map((size) => ({ aaaa: addresses(size, '2001:db8::') })) },
  { weight: 3, arbitrary: anyName.filter((name) => name !== '.').map((cname) => ({ cname })) },
  { weight: 1, arbitrary: rcode.map((code) => ({ rcode: code })) },
  { weight: 1, arbitrary: rcode.map((code) => ({ a: ['192.0.2.9'], rcode: { AAAA: code } })) },
  { weight: 1, arbitrary: fc.constant({}) },
);
const zones: fc.Arbitrary<Zone> = fc
  .dictionary(fc.constantFrom(...zoneNames), entries, { maxKeys: 12 })
  .chain((zone) =>
    fc.array(fc.tuple(fc.nat(5), anyName), { minLength: 1, maxLength: 40 }).map((mx) => ({
      ...zone,
      'example.test': { mx },
    })),
  );

/** Everything that can cost a query at once: MX that do not fit a datagram, and five hosts that are unknown. */
function worstZone(): Zone {
  const hosts = Array.from({ length: 5 }, (_, index) => `${'long'.repeat(12)}${index}.test`);
  const mx = Array.from({ length: 20 }, (_, index): [number, string] => [index, hosts[index % 5] ?? '']);
  return { 'example.test': { mx }, 'n0.test': { txt: ['here'] } };
}

/** The labels of the first question, as bytes: a dot inside a label would show. */
function labelsOf(request: Buffer): string[] {
  const labels: string[] = [];
  for (let offset = 12; request.readUInt8(offset) !== 0; offset += 1 + request.readUInt8(offset)) {
    labels.push(request.toString('latin1', offset + 1, offset + 1 + request.readUInt8(offset)));
  }
  return labels;
}

function found<Record>(records: Record[]): Promise<Lookup<Record>> {
  return Promise.resolve({ kind: 'found', records });
}

function partsWith(resolver: Resolver) {
  return { resolver, clock: systemClock, limits: defaultLimits };
}

const nothing = () => Promise.resolve({ kind: 'no_data' } as const);
const noResolver: Resolver = {
  mx: nothing,
  ipv4: nothing,
  ipv6: nothing,
  reverse: nothing,
  text: nothing,
  close: () => undefined,
};
