import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reasonGroups } from '@mailproof/client';
import {
  canonicalHost,
  explain,
  judge,
  parseAddress,
  type Explanation,
  type MailboxEvidence,
  type Outcome,
} from '@mailproof/engine';
import { databases } from '../../test/support/databases.ts';
import { openTaskHouse } from '../../test/support/open-task-house.ts';
import { deferred, safe } from '../../test/support/outcomes.ts';

type House = Awaited<ReturnType<typeof openTaskHouse>>;

const reply: Explanation['replies'][number] = { phase: 'rcpt', code: 450, text: 'come back later' };

/** An outcome as the engine gives it for this evidence: what is deferred is for its own words to say. */
function outcomeOf(email: string, mailbox: MailboxEvidence): Outcome {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') throw new Error(parsed.fault);
  const lists = { disposable: false, role: false, free: false, spamtrap: false, denied: false };
  const evidence = { address: parsed.address, lists, mailbox };
  const verdict = judge(evidence);
  return { kind: 'verdict', verdict, explanation: explain(evidence, verdict, { total: 1 }) };
}

function noAnswer(
  reason: (MailboxEvidence & { kind: 'no_answer' })['reason'],
  restReason?: string,
): MailboxEvidence {
  const meaning =
    restReason === undefined ? undefined : { label: 'greylisted_or_temporary' as const, reason: restReason };
  return { kind: 'no_answer', reason, meaning, connected: false, host: undefined, replies: [] };
}

/** The mailbox was taken, and nothing became of the question for a random probe. */
function accepted(): MailboxEvidence & { kind: 'answered' } {
  const host = canonicalHost('mx.example.com');
  if (host === undefined) throw new Error('no host name');
  return {
    kind: 'answered',
    host,
    replies: [],
    meaning: { label: 'accepted', reason: 'accepted' },
    catchAll: { kind: 'undetermined', meaning: undefined },
  };
}

/** How often one address is asked for that is answered so every time. */
async function timesAsked(house: House, mailbox: MailboxEvidence): Promise<number> {
  house.asked.length = 0;
  house.mind.answer = (email) => outcomeOf(email, mailbox);
  await house.created(house.account.live, ['somebody@example.com']);
  for (let turn = 0; turn < 10; turn += 1) {
    const claim = await house.claim();
    if (claim !== undefined && (await house.run(claim, { deferRetryMs: 1_000 })) === 'completed') break;
    house.time.advance(10_000);
  }
  return house.asked.length;
}

for (const database of databases) {
  describe(`deferred answers on ${database.name}`, () => {
    it('each visit is shown in the explanation, the last included', async () => {
      const house = await openTaskHouse(database);
      const id = await house.created(house.account.live, ['grey@example.com', 'plain@example.com']);
      const start = house.parts.wallClock.now();
      house.mind.answer = (email) => {
        const turns = house.asked.filter((asked) => asked === email).length;
        const outcome = email.startsWith('grey') && turns < 3 ? deferred(email) : safe(email);
        if (outcome.kind === 'verdict' && turns < 3) outcome.explanation.replies = [reply];
        return outcome;
      };
      for (let claims = 0; claims < 3; claims += 1) {
        await house.run((await house.claim())!);
        house.time.advance(300_000 * 2 ** claims);
      }
      const at = (afterMs: number) => new Date(start + afterMs).toISOString();
      const task = await house.read(id);
      assert.ok(task.kind === 'task' && task.status === 'completed');
      const [grey, plain] = (task.results ?? []).map(({ explanation }) => explanation);
      assert.deepEqual(grey?.visits, [
        { at: at(0), reason: 'greylisted', replies: [reply] },
        { at: at(300_000), reason: 'greylisted', replies: [reply] },
        { at: at(900_000), reason: 'mailbox_accepted', replies: [] },
      ]);
      assert.ok(plain !== undefined && !('visits' in plain));
      await house.close();
    });

    it('the visits of an address that the deadline overtook are shown too', async () => {
      const house = await openTaskHouse(database);
      const id = await house.created(house.account.live, ['grey@example.com']);
      house.mind.answer = deferred;
      await house.run((await house.claim())!);
      house.time.advance(1_800_000);
      await house.sweep();
      const task = await house.read(id);
      const explanation = task.kind === 'task' ? task.results?.[0]?.explanation : undefined;
      assert.equal(explanation?.reason, 'deadline_reached');
      assert.deepEqual(
        explanation.visits?.map(({ reason }) => reason),
        ['greylisted'],
      );
      await house.close();
    });

    it('a host that is left alone for a while, for whatever reason, is asked again, four times at the most', async () => {
      const house = await openTaskHouse(database);
      const reasons = Object.keys(reasonGroups.rest.texts);
      assert.ok(reasons.includes('provider_throttles') && reasons.includes('host_unreachable'));
      for (const reason of reasons) {
        assert.equal(await timesAsked(house, noAnswer('host_resting', reason)), 4, reason);
      }
      await house.close();
    });

    it('a host that is left alone is asked again when that ends, where the deadline allows it, and no sooner', async () => {
      const house = await openTaskHouse(database);
      const resting = (retryAfterMs: number): MailboxEvidence & { kind: 'no_answer' } => ({
        ...(noAnswer('host_resting', 'provider_throttles') as MailboxEvidence & { kind: 'no_answer' }),
        retryAfterMs,
      });
      house.mind.answer = (email) => outcomeOf(email, resting(1_200_000));
      await house.created(house.account.live, ['somebody@example.com']);
      assert.equal(await house.run((await house.claim())!), 'put_back');
      house.time.advance(1_199_000);
      assert.equal(await house.claim(), undefined, 'the rest is not over');
      house.time.advance(1_000);
      house.mind.answer = safe;
      assert.equal(await house.run((await house.claim())!), 'completed');
      assert.equal(house.asked.length, 2);
      assert.equal(await timesAsked(house, resting(3_600_000)), 1, 'the deadline comes before its end');
      await house.close();
    });

    it('so is one that puts the random probe off, whose answer the verdict waits for', async () => {
      const house = await openTaskHouse(database);
      const mailbox: MailboxEvidence = {
        ...accepted(),
        catchAll: {
          kind: 'undetermined',
          meaning: { label: 'greylisted_or_temporary', reason: 'greylisted' },
        },
      };
      assert.equal(await timesAsked(house, mailbox), 4);
      assert.equal(await timesAsked(house, accepted()), 1, 'nothing says that it would do better');
      await house.close();
    });

    it('a host that cannot be reached, falls silent or hangs up is asked once more, one that refuses is not', async () => {
      const house = await openTaskHouse(database);
      for (const reason of ['mx_unreachable', 'smtp_timeout', 'connection_lost'] as const) {
        assert.equal(await timesAsked(house, noAnswer(reason)), 2, reason);
      }
      assert.equal(await timesAsked(house, noAnswer('host_refused')), 1);
      await house.close();
    });
  });
}
