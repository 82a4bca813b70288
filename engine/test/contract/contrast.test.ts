import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tempers, type HostDescription, type Temper } from '@mailproof/world';
import type { Outcome } from '../../src/verify.ts';
import { oneHost, startEngine, type EngineInWorld } from '../support/start-engine.ts';

/** Replies about a mailbox and a made-up one in two conversations with places exchanged: each row, and its guards. */

const asker = { urgency: 'bulk', account: 'list' } as const;

async function at(host: HostDescription, work: (running: EngineInWorld) => Promise<void>): Promise<void> {
  const running = await startEngine(oneHost('odd.test', host));
  try {
    await work(running);
    assert.deepEqual(running.world.violations, []);
  } finally {
    await running.stop();
  }
}

const withAlive = (temper: Temper, others: HostDescription['mailboxes'] = {}): HostDescription => ({
  temper,
  mailboxes: { alive: 'exists', ...others },
});

type Told = { status: string; reason: string; replies: string[] };

function told(outcome: Outcome): Told {
  if (outcome.kind !== 'verdict') return { status: outcome.kind, reason: '', replies: [] };
  const { reason, replies } = outcome.explanation;
  return {
    status: outcome.verdict.status,
    reason,
    replies: replies.map(({ phase, code }) => `${phase} ${code}`),
  };
}

async function verdictOf({ verify }: EngineInWorld, name = 'alive'): Promise<Told> {
  return told(await verify(`${name}@odd.test`));
}

async function list({ verify }: EngineInWorld, names: string[]): Promise<string[]> {
  const outcomes = await Promise.all(names.map((name) => verify(`${name}@odd.test`, { asker })));
  return outcomes.map((outcome, index) => `${names[index] ?? ''} ${told(outcome).status}`);
}

describe('target accepted, made-up refused without a reason: asked again with places exchanged', () => {
  for (const name of ['openSmtpdLike', 'harakaLike'] as const)
    test(name, () =>
      at(withAlive(tempers[name]), async (running) => {
        const { status, replies } = await verdictOf(running);
        assert.equal(status, 'safe');
        const code = name === 'harakaLike' ? 550 : 524;
        assert.deepEqual(replies, ['rcpt 250', `random_rcpt ${code}`, `random_rcpt ${code}`, 'rcpt 250']);
      }),
    );

  test('costs one conversation more, with PIPELINING and without', async () => {
    await at(withAlive(tempers.harakaLike), async (running) => {
      await verdictOf(running);
      const { roundTrips, commands } = running.world.counts.smtp;
      assert.equal(roundTrips, 8);
      assert.deepEqual(commands, { EHLO: 2, MAIL: 2, RCPT: 4, QUIT: 2 });
    });
    await at(withAlive({ ...tempers.harakaLike, pipelining: false }), async (running) => {
      await verdictOf(running);
      assert.equal(running.world.counts.smtp.roundTrips, 12);
    });
  });

  test('is remembered: the next one of the domain costs no more than any other', () =>
    at(withAlive(tempers.harakaLike, { other: 'exists' }), async (running) => {
      await verdictOf(running);
      running.world.reset();
      assert.equal((await verdictOf(running, 'other')).status, 'safe');
      assert.equal(running.world.counts.smtp.roundTrips, 4);
    }));

  test('guard: a host that refuses every second recipient of a transaction is seen through', () =>
    at(withAlive(tempers.refusesEverySecond), async (running) =>
      assert.equal((await verdictOf(running)).status, 'catch_all'),
    ));

  test('guard: so is one that does it over the whole conversation, in lists too', async () => {
    await at(withAlive(tempers.refusesEverySecondOfAll), async (running) =>
      assert.equal((await verdictOf(running)).status, 'catch_all'),
    );
    for (const size of [2, 3, 4, 5])
      await at(withAlive(tempers.refusesEverySecondOfAll), async (running) => {
        const names = ['alive', 'b', 'c', 'd', 'e'].slice(0, size);
        const statuses = (await list(running, names)).map((line) => line.split(' ')[1]);
        const isDecided = (status = '') => ['safe', 'invalid', 'disabled'].includes(status);
        assert.ok(!statuses.some(isDecided), statuses.join());
      });
  });

  test('guard: a host that refuses everybody after the first refusal says nothing', () =>
    at(withAlive(tempers.locksAtFirstRefusal), async (running) => {
      const { status, reason, replies } = await verdictOf(running);
      assert.deepEqual([status, reason], ['unknown', 'catch_all_undetermined']);
      assert.deepEqual(replies.at(-1), 'rcpt 550');
    }));

  test('guard: a refusal about us is not compared', () =>
    at(
      withAlive({ replies: { unknown: '554 5.7.1 Client host [{client}] blocked using zen.spamhaus.org' } }),
      async (running) => {
        assert.equal((await verdictOf(running)).reason, 'catch_all_undetermined');
        assert.equal(running.world.counts.smtp.roundTrips, 4);
      },
    ));

  test('guard: postmaster is no ordinary mailbox', () =>
    at(withAlive(tempers.harakaLike, { postmaster: 'exists' }), async (running) => {
      assert.equal((await verdictOf(running, 'postmaster')).reason, 'catch_all_undetermined');
      assert.equal(running.world.counts.smtp.roundTrips, 4);
    }));
});

describe('target accepted, made-up deferred in words that say unknown: not a catch-all', () => {
  for (const name of ['softBounces', 'verificationFailed', 'mimecastUnknown'] as const)
    test(name, () =>
      at(withAlive(tempers[name]), async (running) =>
        assert.equal((await verdictOf(running)).status, 'safe'),
      ),
    );

  const guards: Record<string, Temper> = {
    'verification in progress': tempers.verificationInProgress,
    unverified: {
      replies: { unknown: '450 4.1.1 <{recipient}>: Recipient address rejected: unverified address' },
    },
    greylisting: { replies: { unknown: '450 4.2.0 <{recipient}>: Greylisted, try again later' } },
  };
  for (const [name, temper] of Object.entries(guards))
    test(`guard: ${name} says nothing`, () =>
      at(withAlive(temper), async (running) => {
        assert.equal((await verdictOf(running)).reason, 'catch_all_undetermined');
        assert.equal(running.world.counts.smtp.roundTrips, 4);
      }));
});

describe('target refused without a reason in the words of the made-up one, beside one that was accepted: invalid', () => {
  for (const name of ['openSmtpdLike', 'harakaLike'] as const)
    test(name, () =>
      at(withAlive(tempers[name]), async (running) => {
        const outcomes = await Promise.all(
          ['alive', 'nobody'].map((who) => running.verify(`${who}@odd.test`, { asker })),
        );
        const [alive, nobody] = outcomes.map(told);
        assert.deepEqual([alive?.status, nobody?.status], ['safe', 'invalid']);
        assert.equal(nobody?.reason, 'refused_like_made_up');
      }),
    );

  test('also where it is remembered that the domain is no catch-all', () =>
    at(withAlive(tempers.harakaLike, { other: 'exists' }), async (running) => {
      await verdictOf(running);
      assert.deepEqual(await list(running, ['nobody', 'other']), ['nobody invalid', 'other safe']);
    }));

  test('a whole list: the living are safe, and none of them is called dead', () =>
    at(
      withAlive(tempers.harakaLike, { b: 'exists', c: 'exists', d: 'exists', e: 'exists' }),
      async (running) => {
        const names = ['alive', 'x0', 'b', 'x1', 'c', 'x2', 'd', 'x3', 'e', 'x4'];
        for (const line of await list(running, names)) {
          const [name = '', status] = line.split(' ');
          if (name.startsWith('x')) assert.ok(status === 'invalid' || status === 'unknown', line);
          else assert.equal(status, 'safe', line);
        }
      },
    ));

  test('guard: nothing without an ordinary mailbox beside it', () =>
    at(withAlive(tempers.harakaLike, { postmaster: 'exists' }), async (running) => {
      assert.deepEqual(await list(running, ['nobody', 'postmaster']), [
        'nobody unknown',
        'postmaster unknown',
      ]);
    }));

  test('guard: a living mailbox refused in other words is not condemned', () =>
    at(withAlive(tempers.harakaLike, { choosy: { reply: '550 Rejected' } }), async (running) => {
      assert.deepEqual(await list(running, ['alive', 'choosy']), ['alive safe', 'choosy unknown']);
    }));

  test('guard: one that a locked host refuses in the same words is not condemned', () =>
    at(withAlive(tempers.locksAtFirstRefusal, { other: 'exists' }), async (running) => {
      assert.deepEqual(await list(running, ['alive', 'other']), ['alive unknown', 'other unknown']);
    }));
});

describe('target refused without a reason, made-up accepted: disabled', () => {
  const refused = { gone: { reply: '550 Rejected' } };
  test('asked again, and no, yes, no', () =>
    at({ temper: { catchAll: true }, mailboxes: refused }, async (running) => {
      const { status, reason, replies } = await verdictOf(running, 'gone');
      assert.deepEqual([status, reason], ['disabled', 'refused_unlike_made_up']);
      assert.deepEqual(replies, ['rcpt 550', 'random_rcpt 250', 'random_rcpt 250', 'rcpt 550']);
      assert.equal(running.world.counts.smtp.roundTrips, 8);
    }));

  test('also where it is remembered that every address is taken', () =>
    at({ temper: { catchAll: true }, mailboxes: refused }, async (running) => {
      await verdictOf(running);
      assert.equal((await verdictOf(running, 'gone')).status, 'disabled');
    }));

  test("guard: a recipient's own block list gives its reason, and says nothing", () =>
    at(
      {
        temper: { catchAll: true },
        mailboxes: { gone: { reply: '550 5.7.1 The recipient has blocked you' } },
      },
      async (running) => assert.equal((await verdictOf(running, 'gone')).status, 'unknown'),
    ));
});

test('target greylisted, made-up refused: nothing', () =>
  at(withAlive(tempers.greylist), async (running) => {
    const { status, reason } = await verdictOf(running);
    assert.deepEqual([status, reason], ['unknown', 'greylisted']);
    assert.equal(running.world.counts.smtp.roundTrips, 4);
  }));
