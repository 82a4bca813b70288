import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Lookup } from '../dns/lookup.ts';
import { evaluateSpf } from './evaluate-spf.ts';

/** Records by name. A name that is missing does not exist, and `null` cannot be looked up. */
type Zones = Record<string, { txt?: string[]; a?: string[]; aaaa?: string[]; mx?: string[] } | null>;

const chain = (length: number): Zones =>
  Object.fromEntries(
    Array.from({ length }, (_, index) => [
      index === 0 ? 'example.com' : `n${index}.example.com`,
      { txt: [`v=spf1 include:n${index + 1}.example.com -all`] },
    ]),
  );

const zones: Zones = {
  'google.example': { txt: ['v=spf1 ip4:192.0.2.0/24 ~all'] },
  'mail.example.com': { a: ['192.0.2.25'], aaaa: ['2001:db8::25'] },
  'empty.example': {},
  'down.example': null,
  '192.0.2.25.exists.example': { a: ['127.0.0.2'] },
  '25.2.0.192.in-addr.exists.example': { a: ['127.0.0.2'] },
  '_spf.example.com': { txt: ['v=spf1 ip4:192.0.2.25 -all'] },
};

function lookUp<Found>(
  all: Zones,
  name: string,
  read: (zone: NonNullable<Zones[string]>) => Found[],
): Lookup<Found> {
  const zone = all[name];
  if (zone === null) return { kind: 'failed', failure: 'servfail' };
  if (zone === undefined) return { kind: 'no_such_name' };
  const records = read(zone);
  return records.length === 0 ? { kind: 'no_data' } : { kind: 'found', records };
}

async function ask(record: string | Zones, ip = '192.0.2.25') {
  const all: Zones = {
    ...zones,
    ...(typeof record === 'string'
      ? { 'example.com': { txt: ['other', record], mx: ['mail.example.com'] } }
      : record),
  };
  const found = await evaluateSpf(
    { ip, domain: 'example.com', sender: 'verify@example.com', heloName: 'mail.example.com' },
    {
      text: (name) => Promise.resolve(lookUp(all, name, ({ txt = [] }) => txt)),
      ipv4: (name) => Promise.resolve(lookUp(all, name, ({ a = [] }) => a)),
      ipv6: (name) => Promise.resolve(lookUp(all, name, ({ aaaa = [] }) => aaaa)),
      mx: (name) =>
        Promise.resolve(
          lookUp(all, name, ({ mx = [] }) => mx.map((exchange) => ({ preference: 10, exchange }))),
        ),
    },
    { deadline: Infinity, signal: new AbortController().signal },
  );
  return found.result;
}

const rows: [record: string, ip: string, result: string][] = [
  ['v=spf1 -all', '192.0.2.25', 'fail'],
  ['v=spf1 ~all', '192.0.2.25', 'softfail'],
  ['v=spf1 ?all', '192.0.2.25', 'neutral'],
  ['v=spf1', '192.0.2.25', 'neutral'],
  ['V=SPF1 +ALL', '192.0.2.25', 'pass'],
  ['v=spf1 ip4:192.0.2.25 -all', '192.0.2.25', 'pass'],
  ['v=spf1 ip4:192.0.2.0/24 -all', '192.0.2.25', 'pass'],
  ['v=spf1 ip4:192.0.2.77/24 -all', '192.0.2.25', 'pass'],
  ['v=spf1 ip4:198.51.100.0/24 -all', '192.0.2.25', 'fail'],
  ['v=spf1 -ip4:192.0.2.25 +all', '192.0.2.25', 'fail'],
  ['v=spf1 ip4:192.0.2.0/24 -all', '2001:db8::25', 'fail'],
  ['v=spf1 ip6:2001:db8::/32 -all', '2001:db8::25', 'pass'],
  ['v=spf1 a:mail.example.com -all', '192.0.2.25', 'pass'],
  ['v=spf1 a:mail.example.com -all', '2001:db8::25', 'pass'],
  ['v=spf1 a:mail.example.com/24//64 -all', '192.0.2.99', 'pass'],
  ['v=spf1 a:mail.example.com/24//64 -all', '2001:db8::ffff', 'pass'],
  ['v=spf1 a:mail.example.com//64 -all', '192.0.2.99', 'fail'],
  ['v=spf1 mx -all', '192.0.2.25', 'pass'],
  ['v=spf1 mx/28 -all', '192.0.2.99', 'fail'],
  ['v=spf1 include:google.example -all', '192.0.2.25', 'pass'],
  ['v=spf1 include:google.example -all', '198.51.100.1', 'fail'],
  ['v=spf1 include:_spf.example.com ~all', '192.0.2.25', 'pass'],
  ['v=spf1 include:empty.example -all', '192.0.2.25', 'permerror'],
  ['v=spf1 redirect=google.example', '198.51.100.1', 'softfail'],
  ['v=spf1 redirect=google.example', '192.0.2.1', 'pass'],
  ['v=spf1 redirect=empty.example', '192.0.2.1', 'permerror'],
  ['v=spf1 -all redirect=google.example', '192.0.2.1', 'fail'],
  ['v=spf1 exists:%{i}.exists.example -all', '192.0.2.25', 'pass'],
  ['v=spf1 exists:%{ir}.%{v}.exists.example -all', '192.0.2.25', 'pass'],
  ['v=spf1 exists:%{i}.exists.example -all', '192.0.2.26', 'fail'],
  ['v=spf1 exists:%{x}.exists.example -all', '192.0.2.25', 'permerror'],
  ['v=spf1 a:down.example -all', '192.0.2.25', 'temperror'],
  ['v=spf1 include:down.example -all', '192.0.2.25', 'temperror'],
  ['v=spf1 ip4:192.0.2.25 -all nonsense', '192.0.2.25', 'permerror'],
  ['v=spf1 ip4:192.0.2 -all', '192.0.2.25', 'permerror'],
  ['v=spf1 ip4:192.0.2.0/33 -all', '192.0.2.25', 'permerror'],
  ['v=spf1 ip4:2001:db8::/32 -all', '192.0.2.25', 'permerror'],
  ['v=spf1 include -all', '192.0.2.25', 'permerror'],
  ['v=spf1 all:example.com', '192.0.2.25', 'permerror'],
  ['v=spf1 unknown=whatever ip4:192.0.2.25 -all', '192.0.2.25', 'pass'],
  ['v=spf1 ptr ip4:192.0.2.25 -all', '192.0.2.25', 'pass'],
];

describe('SPF', () => {
  for (const [record, ip, result] of rows)
    test(`${record} for ${ip} is ${result}`, async () => assert.equal(await ask(record, ip), result));

  test('a domain without a record is none, with two an error, out of reach a passing one', async () => {
    assert.equal(await ask({ 'example.com': { txt: ['hello'] } }), 'none');
    assert.equal(await ask({}), 'none');
    assert.equal(await ask({ 'example.com': { txt: ['v=spf1 -all', 'v=spf1 ~all'] } }), 'permerror');
    assert.equal(await ask({ 'example.com': { txt: ['v=spf10 -all'] } }), 'none');
    assert.equal(await ask({ 'example.com': null }), 'temperror');
  });

  test('ten lookups are made, and an eleventh is an error', async () => {
    const end = { txt: ['v=spf1 ip4:192.0.2.25 -all'] };
    assert.equal(await ask({ ...chain(10), 'n10.example.com': end }), 'pass');
    assert.equal(await ask({ ...chain(11), 'n11.example.com': end }), 'permerror');
    assert.equal(await ask({ 'example.com': { txt: ['v=spf1 redirect=example.com'] } }), 'permerror');
  });

  test('two lookups may find nothing, and a third is an error', async () => {
    assert.equal(await ask('v=spf1 a:x.example a:y.example ip4:192.0.2.25 -all'), 'pass');
    assert.equal(await ask('v=spf1 a:x.example a:y.example a:z.example ip4:192.0.2.25 -all'), 'permerror');
  });

  test('an mx with more than ten mail servers is an error', async () => {
    const mx = Array.from({ length: 11 }, () => 'mail.example.com');
    assert.equal(await ask({ 'example.com': { txt: ['v=spf1 mx -all'], mx } }), 'permerror');
  });
});
