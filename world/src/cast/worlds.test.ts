import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ask } from '../../test/support/ask-dns.ts';
import { greeted, hello, mail, say } from '../../test/support/meet.ts';
import { overTls, rawClient } from '../../test/support/raw-client.ts';
import type { Temper } from '../smtp/temper.ts';
import { startWorld, type World } from '../start-world.ts';
import { tempers } from '../tempers.ts';
import { castOf, type Expectation } from './place.ts';
import { providerPlaces, truthfulPlaces } from './truthful-places.ts';
import {
  faultMatrix,
  injectionMatrix,
  standardCast,
  standardLists,
  standardWorld,
  tlsFaultMatrix,
} from './worlds.ts';

const description = standardWorld();

describe('the standard world', () => {
  let world: World;
  before(async () => {
    world = await startWorld(description);
  });
  after(() => world.stop());

  test('has a place for every temper that has a name, unless it asks a block list', () => {
    const used = new Set(Object.values(description.hosts).map((host) => host.temper));
    const asksList = ({ refusal }: Temper): boolean => refusal !== undefined && 'ifListedBy' in refusal;
    const missing = Object.entries(tempers).filter(([, temper]) => !used.has(temper) && !asksList(temper));
    assert.deepEqual(
      missing.map(([name]) => name),
      [],
    );
  });

  test('has a case for every status and for the error of DNS', () => {
    const outcomes = new Set(
      standardCast.map(({ expect }) => ('status' in expect ? expect.status : expect.error)),
    );
    assert.deepEqual([...outcomes].sort(), [
      'catch_all',
      'disabled',
      'disposable',
      'inbox_full',
      'invalid',
      'role_account',
      'safe',
      'spamtrap',
      'unknown',
      'verification_unavailable',
    ]);
  });

  test('names every address once, each with a story', () => {
    const addresses = standardCast.map((member) => member.address);
    assert.equal(new Set(addresses).size, addresses.length);
    assert.deepEqual(
      standardCast.filter((member) => member.story === ''),
      [],
    );
  });

  test('knows its traps and throw-away domains', () => {
    const needLists = standardCast
      .filter((member) => member.needs === 'lists')
      .map((member) => member.address);
    const listed = [
      ...standardLists.spamTraps,
      ...standardLists.disposableDomains.map((domain) => `anyone@${domain}`),
    ];
    assert.deepEqual(needLists.sort(), listed.sort());
  });

  for (const member of castOf([...truthfulPlaces, ...providerPlaces])) {
    if (member.needs === 'lists') continue;
    test(`answers for ${member.address} as its story says: ${member.story}`, async () => {
      const host = hostOf(member.address);
      if (world.absentHosts.includes(host)) return;
      const reply = await replyFor(world, host, member.address);
      // A provider that accepts every recipient is not asked: its host would say yes.
      const wanted = isNeverAsked(member.expect) ? /^250/ : fitting(member.expect);
      assert.match(reply, wanted, reply);
    });
  }

  test('resolves the mail hosts of its domains', async () => {
    const mx = await ask(world.dnsServer, { name: 'plain.test', type: 'MX' });
    const exchange = mx.answers?.[0]?.type === 'MX' ? mx.answers[0].data.exchange : '';
    const a = await ask(world.dnsServer, { name: exchange, type: 'A' });
    assert.equal(a.answers?.[0]?.type === 'A' && a.answers[0].data, world.hosts[exchange]?.address);
    for (const name of ['nxdomain.test', 'mx.bücher.test']) {
      assert.equal((await ask(world.dnsServer, { name, type: 'MX' })).answers?.length, 0);
    }
  });
});

describe('the matrices', () => {
  test('have 96 faults, 24 TLS faults and 40 injections, each with a host of its own', () => {
    for (const [matrix, size] of [
      [faultMatrix(), 96],
      [tlsFaultMatrix(), 24],
      [injectionMatrix(), 40],
    ] as const) {
      assert.equal(matrix.cast.length, size);
      assert.equal(Object.keys(matrix.description.hosts).length, size);
    }
  });
});

function isNeverAsked(expect: (typeof standardCast)[number]['expect']): boolean {
  return JSON.stringify(expect).includes('provider_accepts_everything');
}

/** Returns the reply to RCPT for a client that knows HELO, STARTTLS and SMTPUTF8. */
async function replyFor(world: World, host: string, address: string): Promise<string> {
  let client = await rawClient(world.smtpPort, world.hosts[host]!.address);
  let offer = await greeted(client);
  if (offer.startsWith('502')) await say(client, 'HELO probe.test\r\n');
  if (offer.includes('STARTTLS')) {
    await say(client, 'STARTTLS\r\n');
    ({ client } = await overTls(client));
    client.send(hello);
    offer = (await client.replies(1))[0] ?? '';
  }
  await say(client, offer.includes('SMTPUTF8') ? mail.replace('\r\n', ' SMTPUTF8\r\n') : mail);
  const [reply] = await say(client, `RCPT TO:<${address}>\r\n`);
  client.socket.destroy();
  return reply ?? '';
}

function fitting(expect: Expectation): RegExp {
  if ('error' in expect) return /^$/;
  switch (expect.status) {
    case 'safe':
    case 'role_account':
    case 'catch_all':
      return /^250/;
    case 'invalid':
    case 'disabled':
      return /^55[0-4]/;
    case 'inbox_full':
      return /^(?:452|552|554)/;
    case 'unknown':
      return /^(?:4|553)/;
    case 'disposable':
    case 'spamtrap':
      return /^$/;
  }
}

function hostOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return description.zones[domain]?.mx?.[0]?.[1] ?? domain;
}
