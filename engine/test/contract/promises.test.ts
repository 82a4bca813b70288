import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { faultHost, type WorldDescription } from '@mailproof/world';
import { systemClock } from '../../src/clock.ts';
import type { EngineSettings } from '../../src/create-engine.ts';
import type { Explanation } from '../../src/explanation.ts';
import type { Verdict } from '../../src/verdict.ts';
import type { Outcome } from '../../src/verify.ts';
import { watchLateness } from '../support/machine.ts';
import { oneHost, startEngine, type EngineInWorld } from '../support/start-engine.ts';

/** Promises of the engine that hold whatever the other side does. */

async function inWorld(
  description: WorldDescription,
  work: (running: EngineInWorld) => Promise<void>,
  settings: Partial<EngineSettings> = {},
): Promise<void> {
  const running = await startEngine(description, settings);
  try {
    await work(running);
  } finally {
    await running.stop();
  }
}

function verdictOf(outcome: Outcome): Verdict & { reason: string } {
  assert.equal(outcome.kind, 'verdict');
  return { ...outcome.verdict, reason: outcome.explanation.reason };
}

function explanationOf(outcome: Outcome): Explanation {
  assert.notEqual(outcome.kind, 'invalid_address');
  return (outcome as Exclude<Outcome, { kind: 'invalid_address' }>).explanation;
}

const graceMs = 250;

describe('a verdict never waits longer than its deadline and a quarter of a second', () => {
  const stubborn: Record<string, WorldDescription> = {
    'a silent mail host': oneHost('slow.test', faultHost('banner', 'silence')),
    'a dripping mail host': oneHost('slow.test', faultHost('ehlo', 'drip', 50)),
    'a tarpit': oneHost('slow.test', { temper: { replyDelayMs: 400 }, mailboxes: { alive: 'exists' } }),
    'a silent handshake': oneHost('slow.test', {
      temper: { starttls: 'demanded', tlsFault: 'stall_before_hello' },
    }),
    'a silent name server': { zones: { 'slow.test': { behaviour: 'silent' } }, hosts: {} },
  };
  for (const [what, description] of Object.entries(stubborn)) {
    test(what, () =>
      inWorld(description, async ({ verify }) => {
        const withinMs = 700;
        const lateness = watchLateness();
        const startedAt = systemClock.now();
        const outcome = await verify('alive@slow.test', { withinMs });
        const tookMs = systemClock.now() - startedAt;
        assert.ok(tookMs <= withinMs + graceMs + lateness.worstMs(), `${tookMs} ms`);
        assert.equal(outcome.kind, 'timeout');
        assert.equal(explanationOf(outcome).reason, 'deadline_reached');
      }),
    );
  }
});

test('an aborted signal ends the verification with its reason and closes the line', () =>
  inWorld(oneHost('slow.test', faultHost('mail', 'silence')), async ({ verify, world }) => {
    const controller = new AbortController();
    const verification = verify('alive@slow.test', { signal: controller.signal });
    while (world.conversations.every(({ lines }) => !lines.some((line) => line.includes('MAIL')))) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    controller.abort(new Error('the caller left'));
    await assert.rejects(verification, /the caller left/);
    while (world.counts.smtp.open > 0) await new Promise((resolve) => setImmediate(resolve));
  }));

describe('the egress guard', () => {
  const blocked: WorldDescription = {
    zones: { 'inside.test': { mx: [[10, 'mx.inside.test']] }, 'mx.inside.test': { a: ['10.0.0.1'] } },
    hosts: {},
  };
  const atHome = oneHost('inside.test', { mailboxes: { alive: 'exists' } });
  const dead: WorldDescription = oneHost('inside.test', { temper: { dead: true } });

  test('dials no forbidden address, and says no more than that the host was not reached', () =>
    inWorld(
      blocked,
      async ({ verify, engine, world }) => {
        const verdict = verdictOf(await verify('alive@inside.test'));
        assert.deepEqual([verdict.status, verdict.reason], ['unknown', 'mx_unreachable']);
        assert.equal(world.counts.smtp.connections, 0);
        assert.equal(engine.counts().dialled, 0);
        assert.equal(engine.counts().forbidden, 1);
      },
      { egressAllow: [] },
    ));

  for (const [at, description] of Object.entries({
    'its only mail host is at loopback': atHome,
    'its only mail host is at 0.0.0.0': withAddress({ a: ['0.0.0.0'] }),
    'its only mail host is at ::1': withAddress({ aaaa: ['::1'] }),
    'every address of its mail host leads nowhere': withAddress({
      a: ['127.0.0.1', '0.0.0.0'],
      aaaa: ['::'],
    }),
  })) {
    test(`a domain takes no mail if ${at}, and no host is dialled`, () =>
      inWorld(
        description,
        async ({ verify, engine }) => {
          const verdict = verdictOf(await verify('alive@inside.test'));
          assert.deepEqual([verdict.status, verdict.reason], ['invalid', 'mail_host_leads_nowhere']);
          assert.equal(engine.counts().dialled + engine.counts().forbidden, 0);
        },
        { egressAllow: [] },
      ));
  }

  for (const [other, zone] of Object.entries({
    private: { a: ['127.0.0.1', '192.168.0.1'] },
    'of IPv6': { a: ['127.0.0.1'], aaaa: ['fd00::1'] },
  })) {
    test(`one more address, ${other}, and it is not known what the domain takes`, () =>
      inWorld(
        withAddress(zone),
        async ({ verify }) => {
          const verdict = verdictOf(await verify('alive@inside.test'));
          assert.deepEqual([verdict.status, verdict.reason], ['unknown', 'mx_unreachable']);
        },
        { egressAllow: [] },
      ));
  }

  test('an address that the operator opened is asked', () =>
    inWorld(atHome, async ({ verify }) => {
      assert.equal(verdictOf(await verify('alive@inside.test')).status, 'safe');
    }));

  function withAddress(zone: { a?: string[]; aaaa?: string[] }): WorldDescription {
    return { zones: { 'inside.test': { mx: [[10, 'mx.inside.test']] }, 'mx.inside.test': zone }, hosts: {} };
  }

  test('makes a forbidden address look like one that refuses', async () => {
    const bodies: string[] = [];
    const collect = async ({ verify }: EngineInWorld): Promise<void> => {
      const outcome = await verify('alive@inside.test');
      const explanation = { ...explanationOf(outcome), timings_ms: undefined };
      bodies.push(JSON.stringify({ ...outcome, explanation }));
    };
    await inWorld(blocked, collect, { egressAllow: [] });
    await inWorld(dead, collect);
    assert.equal(bodies[0], bodies[1]);
  });
});

describe('mail routes', () => {
  const alive = { mailboxes: { alive: 'exists' } } as const;
  const cases: [string, WorldDescription, number][] = [
    [
      'a dead first host is passed over',
      {
        zones: {
          'two.test': {
            mx: [
              [10, 'mx1.two.test'],
              [20, 'mx2.two.test'],
            ],
          },
        },
        hosts: { 'mx1.two.test': { temper: { dead: true } }, 'mx2.two.test': alive },
      },
      1,
    ],
    [
      'a first host that greets with 421 is passed over',
      {
        zones: {
          'two.test': {
            mx: [
              [10, 'mx1.two.test'],
              [20, 'mx2.two.test'],
            ],
          },
        },
        hosts: {
          'mx1.two.test': { temper: { refusal: { at: 'banner', reply: '421 4.3.2 busy' } } },
          'mx2.two.test': alive,
        },
      },
      2,
    ],
    ['a domain without MX is its own mail host', { zones: {}, hosts: { 'two.test': alive } }, 1],
    [
      'a host that has IPv6 only is reached',
      {
        zones: { 'two.test': { mx: [[10, 'mx6.two.test']] } },
        hosts: { 'mx6.two.test': { ...alive, address: '::1' } },
      },
      1,
    ],
  ];
  for (const [what, description, connections] of cases) {
    test(what, () =>
      inWorld(description, async ({ verify, world }) => {
        assert.equal(verdictOf(await verify('alive@two.test')).status, 'safe');
        assert.equal(world.counts.smtp.connections, connections);
      }),
    );
  }

  test('every host is tried within the deadline, however many hang up', () =>
    inWorld(
      {
        zones: { 'many.test': { mx: [1, 2, 3, 4].map((n): [number, string] => [n, `mx${n}.many.test`]) } },
        hosts: Object.fromEntries([1, 2, 3, 4].map((n) => [`mx${n}.many.test`, faultHost('ehlo', 'fin')])),
      },
      async ({ verify, world }) => {
        assert.equal(verdictOf(await verify('alive@many.test')).reason, 'connection_lost');
        assert.equal(world.counts.smtp.connections, 4);
      },
    ));

  test('DNS that fails is no verdict: the service answers 502 and charges nothing', () =>
    inWorld({ zones: { 'servfail.test': { behaviour: 'servfail' } }, hosts: {} }, async ({ verify }) => {
      const outcome = await verify('alive@servfail.test');
      assert.equal(outcome.kind, 'unavailable');
      assert.equal(explanationOf(outcome).reason, 'dns_servfail');
    }));
});

describe('internationalised addresses', () => {
  test('are asked for with SMTPUTF8 where the host offers it, the domain in its ASCII form', () =>
    inWorld(
      oneHost('xn--bcher-kva.test', { temper: { smtputf8: true }, mailboxes: { jörg: 'exists' } }),
      async ({ verify, world }) => {
        const verdict = verdictOf(await verify('jörg@Bücher.test'));
        assert.deepEqual([verdict.status, verdict.username, verdict.domain], ['safe', 'jörg', 'bücher.test']);
        assert.deepEqual(world.violations, []);
        assert.ok(world.dnsQueries.every(({ name }) => name.endsWith('xn--bcher-kva.test')));
      },
    ));

  test('are invalid where no host offers it, and the mailbox is not named', () =>
    inWorld(oneHost('plain.test', {}), async ({ verify, world }) => {
      const { status, reason } = verdictOf(await verify('jörg@plain.test'));
      assert.deepEqual([status, reason], ['invalid', 'no_host_offers_smtputf8']);
      assert.deepEqual(world.counts.smtp.commands, { EHLO: 1, QUIT: 1 });
    }));
});

test('quotes that are not needed are not sent, and the address is shown as it was written', () =>
  inWorld(oneHost('plain.test', { mailboxes: { ada: 'exists' } }), async ({ verify, world }) => {
    const verdict = verdictOf(await verify('"ada"@plain.test'));
    assert.deepEqual(
      [verdict.status, verdict.email, verdict.username],
      ['safe', '"ada"@plain.test', '"ada"'],
    );
    const lines = world.conversations.flatMap((conversation) => conversation.lines);
    assert.ok(lines.some((line) => line.includes('<ada@plain.test>')) && !lines.join().includes('"ada"'));
  }));

describe('catch-all memory', () => {
  test('a yes and a no are remembered, undetermined is neither', () =>
    inWorld(
      {
        zones: { 'all.test': { mx: [[1, 'mx.all.test']] }, 'odd.test': { mx: [[1, 'mx.odd.test']] } },
        hosts: {
          'mx.all.test': { temper: { catchAll: true } },
          'mx.odd.test': faultHost('random_rcpt', 'reply_4xx'),
        },
      },
      async ({ verify, world }) => {
        const recipientsFor = async (email: string): Promise<[string, number]> => {
          world.reset();
          const { status } = verdictOf(await verify(email));
          return [status, world.counts.smtp.commands['RCPT'] ?? 0];
        };
        assert.deepEqual(await recipientsFor('a@all.test'), ['catch_all', 2]);
        assert.deepEqual(await recipientsFor('b@all.test'), ['catch_all', 1]);
        assert.deepEqual(await recipientsFor('alive@odd.test'), ['unknown', 2]);
        assert.deepEqual(await recipientsFor('alive@odd.test'), ['unknown', 2]);
      },
    ));
});

describe("the operator's lists", () => {
  const directory = mkdtempSync(join(tmpdir(), 'mailproof-lists-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const listFiles = {
    spamtraps: file('traps', 'trap@plain.test\n'),
    deny: file('deny', 'denied.test\n'),
    allow: file('allow', 'mailinator.com\n'),
  };

  test('a trap is told without a conversation, a denied domain without any packet, an allowed one is asked', () =>
    inWorld(
      {
        zones: {
          'plain.test': { mx: [[1, 'mx.plain.test']] },
          'denied.test': { mx: [[1, 'mx.plain.test']] },
          'mailinator.com': { mx: [[1, 'mx.plain.test']] },
        },
        hosts: { 'mx.plain.test': { mailboxes: { alive: 'exists', trap: 'exists' } } },
      },
      async ({ verify, world }) => {
        const denied = verdictOf(await verify('alive@denied.test'));
        assert.deepEqual(
          [denied.status, denied.reason, world.counts.dns.queries],
          ['unknown', 'operator_denied', 0],
        );
        assert.equal(verdictOf(await verify('trap@plain.test')).status, 'spamtrap');
        assert.equal(world.counts.smtp.connections, 0);
        assert.equal(verdictOf(await verify('alive@mailinator.com')).status, 'safe');
      },
      { listFiles },
    ).finally(() => rmSync(directory, { recursive: true })));
});

describe('the explanation', () => {
  test('names the deciding stage, the host, the replies read and the time of each stage', () =>
    inWorld(oneHost('plain.test', { mailboxes: { alive: 'exists' } }), async ({ verify }) => {
      const explanation = explanationOf(await verify('nobody@plain.test'));
      assert.equal(explanation.stage, 'smtp');
      assert.equal(explanation.mail_host, 'mx.plain.test');
      assert.deepEqual(
        explanation.replies.map(({ phase, code, enhanced }) => ({ phase, code, enhanced })),
        [
          { phase: 'rcpt', code: 550, enhanced: '5.1.1' },
          { phase: 'random_rcpt', code: 550, enhanced: '5.1.1' },
        ],
      );
      assert.deepEqual(explanation.retry, { advised: false });
      assert.deepEqual(Object.keys(explanation.timings_ms).toSorted(), ['dns', 'smtp', 'total']);
    }));

  test('carries replies as printable characters, at most 200', () =>
    inWorld(
      oneHost('plain.test', {
        mailboxes: { alive: { reply: `550 5.1.1 \u001b[31mred\u202e${'ü😀'.repeat(250)}` } },
      }),
      async ({ verify }) => {
        const [reply] = explanationOf(await verify('alive@plain.test')).replies;
        assert.equal(reply?.text, `?[31mred?${'ü😀'.repeat(250)}`.slice(0, 9 + 3 * 95) + 'ü');
      },
    ));

  test('shows the words of a host in its own letters, and the verdict reads them', () =>
    inWorld(
      oneHost('plain.test', { mailboxes: { alive: { reply: '550 Empfänger unbekannt: 收件人不存在' } } }),
      async ({ verify }) => {
        const verified = await verify('alive@plain.test');
        assert.equal(explanationOf(verified).replies[0]?.text, 'Empfänger unbekannt: 收件人不存在');
        assert.equal(verdictOf(verified).status, 'invalid');
      },
    ));

  test('advises when to ask a deferring host again', () =>
    inWorld(oneHost('plain.test', { mailboxes: { alive: 'deferred' } }), async ({ verify }) => {
      assert.deepEqual(explanationOf(await verify('alive@plain.test')).retry, {
        advised: true,
        after_seconds: 300,
      });
    }));
});
