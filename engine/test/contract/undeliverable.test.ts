import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import { startEngine, type EngineInWorld } from '../support/start-engine.ts';

type Temper = NonNullable<WorldDescription['hosts'][string]['temper']>;

/** A domain with one mail host for each temper, the most preferred first. */
function domainOf(...hosts: Temper[]): WorldDescription {
  const names = hosts.map((_, index) => `mx${index + 1}.plain.test`);
  return {
    zones: { 'plain.test': { mx: names.map((name, index) => [10 * (index + 1), name]) } },
    hosts: Object.fromEntries(
      names.map((name, index) => [
        name,
        { temper: hosts[index] ?? {}, mailboxes: { jörg: 'exists', ada: 'exists' } },
      ]),
    ),
  };
}

/** The same with a mail host of one name at two IP addresses, one for each temper. */
function hostOfTwo(first: Temper, second: Temper): WorldDescription {
  const addresses = ['127.10.9.1', '127.10.9.2'];
  const { zones, hosts } = domainOf(first);
  return {
    zones: { ...zones, 'mx1.plain.test': { a: addresses } },
    hosts: {
      'mx1.plain.test': { ...hosts['mx1.plain.test'], address: '127.10.9.1' },
      'twin.plain.test': { temper: second, address: '127.10.9.2' },
    },
  };
}

async function ask(email: string, hosts: Temper[], look?: (running: EngineInWorld) => void) {
  return askIn(domainOf(...hosts), email, look);
}

async function askIn(world: WorldDescription, email: string, look?: (running: EngineInWorld) => void) {
  const running = await startEngine(world);
  try {
    const outcome = await running.verify(email);
    assert.ok(outcome.kind === 'verdict', outcome.kind);
    assert.deepEqual(running.world.violations, []);
    look?.(running);
    return outcome;
  } finally {
    await running.stop();
  }
}

async function found(email: string, ...hosts: Temper[]): Promise<[string, string]> {
  return foundIn(domainOf(...hosts), email);
}

async function foundIn(world: WorldDescription, email: string): Promise<[string, string]> {
  const { verdict, explanation } = await askIn(world, email);
  return [verdict.status, explanation.reason];
}

const noMail: Temper = { banner: '521 {host} does not accept mail' };

describe('an address beyond ASCII', () => {
  const jörg = 'jörg@plain.test';

  test('is invalid if every mail host was asked and none offers SMTPUTF8, with every field of the first row', async () => {
    const { verdict, explanation } = await ask(jörg, [{}, { pipelining: false }]);
    assert.deepEqual(
      [verdict.status, explanation.reason, explanation.retry],
      ['invalid', 'no_host_offers_smtputf8', { advised: false }],
    );
    assert.ok(verdict.status === 'invalid');
    assert.deepEqual(
      [
        verdict.overall_score,
        verdict.mx_accepts_mail,
        verdict.mx_records,
        verdict.can_connect_smtp,
        verdict.is_deliverable,
      ],
      [0, false, [], false, false],
    );
  });

  test('is asked for at a less preferred host that offers it', async () => {
    assert.equal((await found(jörg, {}, { smtputf8: true }))[0], 'safe');
  });

  test('stays unknown while one mail host cannot be reached or says nothing', async () => {
    for (const other of [
      { dead: true },
      { refusal: { at: 'banner', reply: '421 4.3.2 busy' } },
    ] satisfies Temper[]) {
      assert.equal((await found(jörg, {}, other))[0], 'unknown');
      assert.equal((await found(jörg, other, {}))[0], 'unknown');
    }
  });

  test('is refused for SMTPUTF8, not for taking no mail, if some hosts greet with 521 and the others lack it', async () => {
    for (const hosts of [
      [noMail, {}],
      [{}, noMail],
    ] satisfies Temper[][])
      assert.deepEqual(await found(jörg, ...hosts), ['invalid', 'no_host_offers_smtputf8']);
  });

  test('is asked for inside TLS if that is where SMTPUTF8 is offered', async () => {
    assert.equal((await found(jörg, { smtputf8: 'inside_tls', starttls: 'offered' }))[0], 'safe');
  });

  test('is invalid if the host offers TLS, and SMTPUTF8 not even there', async () => {
    assert.deepEqual(await found(jörg, { starttls: 'offered' }), ['invalid', 'no_host_offers_smtputf8']);
  });

  test('stays unknown if what the host offers cannot be seen: HELO alone, masked keywords, broken TLS', async () => {
    const hidden: Temper[] = [
      { heloOnly: true },
      { extensions: ['XXXXXXXA'] },
      { starttls: 'offered', tlsFault: 'refused', smtputf8: 'inside_tls' },
    ];
    for (const temper of hidden)
      assert.deepEqual(
        await found(jörg, temper),
        ['unknown', 'smtputf8_not_offered'],
        JSON.stringify(temper),
      );
  });
});

describe('a greeting with 521', () => {
  test('of every mail host means that the domain takes no mail', async () => {
    const { verdict, explanation } = await ask('ada@plain.test', [noMail, noMail]);
    assert.deepEqual([verdict.status, explanation.reason], ['invalid', 'hosts_take_no_mail']);
    assert.ok(verdict.status === 'invalid');
    assert.deepEqual([verdict.mx_accepts_mail, verdict.mx_records], [false, []]);
  });

  test('of some mail hosts means nothing for the others', async () => {
    assert.equal((await found('ada@plain.test', noMail, {}))[0], 'safe');
    assert.equal((await found('ada@plain.test', noMail, { dead: true }))[0], 'unknown');
    assert.equal((await found('ada@plain.test', { dead: true }, noMail))[0], 'unknown');
  });

  test('proves nothing while the name of another mail host does not resolve', async () => {
    for (const behaviour of [undefined, 'servfail'] as const)
      for (const preference of [5, 30]) {
        const { zones, hosts } = domainOf(noMail);
        const mx: [number, string][] = [
          [10, 'mx1.plain.test'],
          [preference, 'lost.plain.test'],
        ];
        const lost = behaviour === undefined ? {} : { 'lost.plain.test': { behaviour } };
        const world = { zones: { ...zones, 'plain.test': { mx }, ...lost }, hosts };
        assert.equal((await foundIn(world, 'ada@plain.test'))[0], 'unknown', `${behaviour} ${preference}`);
      }
  });

  test('at one IP address of a mail host proves nothing while another stays silent', async () => {
    assert.equal((await foundIn(hostOfTwo(noMail, { dead: true }), 'ada@plain.test'))[0], 'unknown');
    assert.equal((await foundIn(hostOfTwo({ dead: true }, noMail), 'ada@plain.test'))[0], 'unknown');
    assert.deepEqual(await foundIn(hostOfTwo(noMail, noMail), 'ada@plain.test'), [
      'invalid',
      'hosts_take_no_mail',
    ]);
  });

  test('that is about us, or does not speak of mail, proves nothing', async () => {
    for (const banner of [
      '521 5.7.1 Service unavailable; client blocked using a block list',
      '521 we do not accept mail from your network',
      '521 Go away',
      '521 5.5.1 Protocol error',
      '554 {host} does not accept mail',
    ])
      assert.equal((await found('ada@plain.test', { banner }))[0], 'unknown', banner);
  });
});

describe('a refusal of EHLO', () => {
  const commands = async (reply: string): Promise<Record<string, number>> => {
    let said: Record<string, number> = {};
    await ask('ada@plain.test', [{ refusal: { at: 'ehlo', reply } }], ({ world }) => {
      said = { ...world.counts.smtp.commands };
    });
    return said;
  };

  test('is not followed by HELO', async () => {
    for (const reply of [
      '550 5.7.1 Access denied',
      '550 Bad HELO - host impersonating',
      '501 5.5.4 Invalid domain name',
      '504 5.5.2 <probe.test>: Helo command rejected: need fully-qualified hostname',
      '554 5.7.1 blocked',
      '502 5.7.0 Blocked by policy',
    ])
      assert.deepEqual((await commands(reply))['HELO'], undefined, reply);
  });

  test('is followed by HELO if the host only does not know the command', async () => {
    for (const reply of [
      '500 5.5.1 Command unrecognized: "EHLO"',
      '502 5.5.2 Error: command not recognized',
      '502 unimplemented',
      '504 Command not implemented',
      '550 unknown command EHLO',
      '501 Syntax error, command unrecognized',
    ])
      assert.deepEqual((await commands(reply))['HELO'], 1, reply);
  });
});
