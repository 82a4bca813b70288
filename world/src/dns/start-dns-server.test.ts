import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decode } from 'dns-packet';
import { ask, askTcp, askUdp, queryId } from '../../test/support/ask-dns.ts';
import { startWorld, type World } from '../start-world.ts';
import type { Zone, ZoneBehaviour } from './zones.ts';

const misbehaving = (behaviour: ZoneBehaviour): Zone => ({ mx: [[10, 'mx.dns.test']], behaviour });

const zones: Record<string, Zone> = {
  'plain.test': {
    mx: [
      [20, 'mx2.dns.test'],
      [10, 'mx.dns.test'],
    ],
    txt: ['hello'],
    ttl: 77,
  },
  'null.test': { mx: [[0, '.']] },
  'odd.test': { mx: [[10, 'a b\0<script>.odd.test']] },
  'addresses.test': { a: ['127.1.2.3', '127.1.2.4'], aaaa: ['::1'], soaMinimum: 9 },
  'alias.test': { cname: 'plain.test' },
  'dangling.test': { cname: 'missing.test' },
  'loop.test': { cname: 'loop2.test' },
  'loop2.test': { cname: 'loop.test' },
  'below.parent.test': { a: ['127.1.1.1'] },
  '*.wild.test': { a: ['127.1.1.2'] },
  'taken.wild.test': { txt: ['no address'] },
  'deep.parent.wild.test': { txt: ['no address'] },
  'large.test': { mx: Array.from({ length: 40 }, (_, n): [number, string] => [n, `mx${n}.large.test`]) },
  'huge.test': { mx: Array.from({ length: 2_000 }, (_, n): [number, string] => [n, `mx${n}.huge.test`]) },
  'oversized.test': {
    mx: Array.from({ length: 5_000 }, (_, n): [number, string] => [n, `mx${n}.large.test`]),
  },
  'turns.test': { aInTurn: [['127.2.0.1'], ['10.0.0.1', '127.2.0.2']] },
  'partly.test': { a: ['127.1.1.3'], behaviourOf: { AAAA: 'servfail' } },
  'slow.test': { ...misbehaving('slow'), slowMs: 5 },
  ...Object.fromEntries(
    (
      [
        'servfail',
        'refused',
        'notimp',
        'formerr',
        'silent',
        'drops_first',
        'truncate',
        'truncate_without_tcp',
        'wrong_id',
        'wrong_question',
        'forged_first',
        'garbage',
      ] as const
    ).map((behaviour) => [`${behaviour.replaceAll('_', '-')}.test`, misbehaving(behaviour)]),
  ),
};

describe('the name server', () => {
  let world: World;
  let server: string;
  before(async () => {
    world = await startWorld({
      zones,
      hosts: { 'mx.dns.test': { address: '127.20.0.1' }, 'v6.dns.test': { address: '::1' } },
    });
    server = world.dnsServer;
  });
  after(() => world.stop());

  const exchanges = async (name: string) =>
    ((await ask(server, { name, type: 'MX' })).answers ?? []).map(
      (record) => record.type === 'MX' && record.data.exchange,
    );
  const addresses = async (name: string) =>
    ((await ask(server, { name, type: 'A' })).answers ?? []).map(
      (record) => record.type === 'A' && record.data,
    );

  test('answers with the records of a name, their TTL and the query id', async () => {
    const answer = await ask(server, { name: 'plain.test', type: 'MX' });
    assert.equal(answer.id, queryId);
    assert.deepEqual(
      answer.answers?.map((record) => record.type === 'MX' && [record.ttl, record.data]),
      [
        [77, { preference: 20, exchange: 'mx2.dns.test' }],
        [77, { preference: 10, exchange: 'mx.dns.test' }],
      ],
    );
  });

  test('finds a name in any case and repeats the question as it was spelt', async () => {
    const answer = await ask(server, { name: 'PLAIN.test', type: 'MX' });
    assert.equal(answer.answers?.length, 2);
    assert.equal(answer.questions?.[0]?.name, 'PLAIN.test');
    assert.equal(world.dnsQueries.at(-1)?.name, 'PLAIN.test');
  });

  test('sends a null MX as the root and an odd MX target as it is written', async () => {
    assert.deepEqual(await exchanges('null.test'), ['.']);
    assert.deepEqual(await exchanges('odd.test'), ['a b\0<script>.odd.test']);
  });

  test('says NXDOMAIN with an SOA for a name nobody has', async () => {
    const answer = await ask(server, { name: 'nobody.test', type: 'MX' });
    assert.equal(rcodeOf(answer), 'NXDOMAIN');
    assert.deepEqual(
      answer.authorities?.map((record) => record.type),
      ['SOA'],
    );
  });

  test('says no data, with the SOA minimum, where the name lacks the type', async () => {
    const answer = await ask(server, { name: 'addresses.test', type: 'MX' });
    assert.equal(rcodeOf(answer), 'NOERROR');
    assert.equal(answer.answers?.length, 0);
    const soa = answer.authorities?.[0];
    assert.equal(soa?.type === 'SOA' && soa.data.minimum, 9);
  });

  test('says no data for a name that only has names below it', async () => {
    assert.equal(rcodeOf(await ask(server, { name: 'parent.test', type: 'A' })), 'NOERROR');
  });

  test('answers for a wildcard, but not over a name that is there', async () => {
    assert.deepEqual(await addresses('any.thing.wild.test'), ['127.1.1.2']);
    assert.deepEqual(await addresses('taken.wild.test'), []);
    assert.deepEqual(await addresses('parent.wild.test'), []);
  });

  test('puts the aliases before the records they lead to', async () => {
    const answer = await ask(server, { name: 'alias.test', type: 'MX' });
    assert.deepEqual(
      answer.answers?.map((record) => record.type),
      ['CNAME', 'MX', 'MX'],
    );
  });

  test('says NXDOMAIN for an alias of nothing and SERVFAIL for aliases in a circle', async () => {
    assert.equal(rcodeOf(await ask(server, { name: 'dangling.test', type: 'MX' })), 'NXDOMAIN');
    assert.equal(rcodeOf(await ask(server, { name: 'loop.test', type: 'MX' })), 'SERVFAIL');
  });

  test('knows the addresses of mail hosts, there and back, and the visitor', async () => {
    assert.deepEqual(await addresses('mx.dns.test'), ['127.20.0.1']);
    const v6 = await ask(server, { name: 'v6.dns.test', type: 'AAAA' });
    assert.equal(v6.answers?.[0]?.type, 'AAAA');
    const back = await ask(server, { name: '1.0.20.127.in-addr.arpa', type: 'PTR' });
    assert.equal(back.answers?.[0]?.type === 'PTR' && back.answers[0].data, 'mx.dns.test');
    assert.deepEqual(await addresses('probe.test'), ['127.0.0.1']);
  });

  test('gives the sets of a rebinding name in turn', async () => {
    assert.deepEqual(await addresses('turns.test'), ['127.2.0.1']);
    assert.deepEqual(await addresses('turns.test'), ['10.0.0.1', '127.2.0.2']);
    assert.deepEqual(await addresses('turns.test'), ['127.2.0.1']);
  });

  test('truncates over UDP what is over 512 bytes, unless EDNS allows more, and serves it over TCP', async () => {
    const plain = await ask(server, { name: 'large.test', type: 'MX' });
    assert.equal(plain.flag_tc, true);
    assert.equal(plain.answers?.length, 0);
    const edns = await ask(server, { name: 'large.test', type: 'MX', udpPayloadSize: 4_096 });
    assert.equal(edns.flag_tc, false);
    assert.equal(edns.answers?.length, 40);
    const tcp = await askTcp(server, { name: 'large.test', type: 'MX' });
    assert.equal(tcp !== 'closed' && tcp.answers?.length, 40);
  });

  test('fits 2,000 mail hosts into one message over TCP', async () => {
    const tcp = await askTcp(server, { name: 'huge.test', type: 'MX' });
    assert.ok(tcp !== 'closed');
    assert.equal(tcp.answers?.length, 2_000);
    const last = tcp.answers.at(-1);
    assert.deepEqual(last?.type === 'MX' && last.data, { preference: 1_999, exchange: 'mx1999.huge.test' });
  });

  test('says SERVFAIL rather than send a message that does not fit', async () => {
    const tcp = await askTcp(server, { name: 'oversized.test', type: 'MX' });
    assert.equal(rcodeOf(tcp === 'closed' ? {} : tcp), 'SERVFAIL');
  });

  for (const [name, rcode] of [
    ['servfail', 'SERVFAIL'],
    ['refused', 'REFUSED'],
    ['notimp', 'NOTIMP'],
    ['formerr', 'FORMERR'],
  ]) {
    test(`says ${rcode} where the zone is told to`, async () => {
      assert.equal(rcodeOf(await ask(server, { name: `${name}.test`, type: 'MX' })), rcode);
    });
  }

  test('can fail for one type of a name and answer for another', async () => {
    assert.deepEqual(await addresses('partly.test'), ['127.1.1.3']);
    assert.equal(rcodeOf(await ask(server, { name: 'partly.test', type: 'AAAA' })), 'SERVFAIL');
  });

  test('stays silent over UDP and closes TCP', async () => {
    const questions = [
      { name: 'silent.test', type: 'MX' as const },
      { name: 'plain.test', type: 'MX' as const },
    ];
    const messages = await askUdp(server, questions, 1);
    assert.equal(decode(messages[0]!).questions?.[0]?.name, 'plain.test');
    assert.equal(await askTcp(server, { name: 'silent.test', type: 'MX' }), 'closed');
  });

  test('loses the first query of a question and answers the second', async () => {
    const twice = { name: 'drops-first.test', type: 'MX' as const };
    const messages = await askUdp(server, [twice, twice], 1);
    assert.equal(decode(messages[0]!).answers?.length, 1);
  });

  test('truncates for the sake of it, with and without TCP behind', async () => {
    for (const name of ['truncate.test', 'truncate-without-tcp.test']) {
      assert.equal((await ask(server, { name, type: 'MX' })).flag_tc, true);
    }
    const tcp = await askTcp(server, { name: 'truncate.test', type: 'MX' });
    assert.equal(tcp !== 'closed' && tcp.answers?.length, 1);
    assert.equal(await askTcp(server, { name: 'truncate-without-tcp.test', type: 'MX' }), 'closed');
  });

  test('forges: another id, another question, or a forgery before the truth', async () => {
    assert.notEqual((await ask(server, { name: 'wrong-id.test', type: 'MX' })).id, queryId);
    const other = await ask(server, { name: 'wrong-question.test', type: 'MX' });
    assert.equal(other.questions?.[0]?.name, 'other.wrong-question.test');
    const both = await askUdp(server, [{ name: 'forged-first.test', type: 'MX' }], 2);
    assert.deepEqual(
      both.map((message) => decode(message).id === queryId),
      [false, true],
    );
  });

  test('answers with bytes that are no message', async () => {
    const [message] = await askUdp(server, [{ name: 'garbage.test', type: 'MX' }]);
    assert.equal(message!.readUInt16BE(0), queryId);
    assert.throws(() => decode(message!));
  });

  test('answers late where it is slow: others overtake', async () => {
    const questions = [
      { name: 'slow.test', type: 'MX' as const },
      { name: 'plain.test', type: 'MX' as const },
    ];
    const names = (await askUdp(server, questions)).map((message) => decode(message).questions?.[0]?.name);
    assert.deepEqual(names, ['plain.test', 'slow.test']);
  });

  test('counts queries by question and transport, and those asked side by side as one wave', async () => {
    world.reset();
    await ask(server, { name: 'plain.test', type: 'MX' });
    await askUdp(server, [
      { name: 'mx.dns.test', type: 'A' },
      { name: 'mx.dns.test', type: 'AAAA' },
    ]);
    await askTcp(server, { name: 'plain.test', type: 'MX' });
    assert.deepEqual(world.counts.dns, {
      queries: 4,
      udp: 3,
      tcp: 1,
      waves: 3,
      byQuestion: { 'plain.test MX': 2, 'mx.dns.test A': 1, 'mx.dns.test AAAA': 1 },
    });
  });
});

/** The library reads the response code but does not type it. */
function rcodeOf(packet: object): unknown {
  return 'rcode' in packet ? packet.rcode : undefined;
}
