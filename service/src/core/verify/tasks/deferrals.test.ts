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
import { databases } from '../../../../test/support/databases.ts';
import { openTaskFixture } from '../../../../test/support/open-task-fixture.ts';
import { deferred, explanationOf, safe, unavailable } from '../../../../test/support/outcomes.ts';

type Fixture = Awaited<ReturnType<typeof openTaskFixture>>;

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
async function timesAsked(fixture: Fixture, mailbox: MailboxEvidence): Promise<number> {
  fixture.asked.length = 0;
  fixture.mind.answer = (email) => outcomeOf(email, mailbox);
  await fixture.created(fixture.account.live, ['somebody@example.com']);
  for (let turn = 0; turn < 10; turn += 1) {
    const claim = await fixture.claim();
    if (claim !== undefined && (await fixture.run(claim, { deferRetryMs: 1_000 })) === 'completed') break;
    fixture.time.advance(10_000);
  }
  return fixture.asked.length;
}

for (const database of databases) {
  describe(`deferred answers on ${database.name}`, () => {
    it('each visit is shown in the explanation, the last included', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, ['grey@example.com', 'plain@example.com']);
      const start = fixture.parts.wallClock.now();
      fixture.mind.answer = (email) => {
        const turns = fixture.asked.filter((asked) => asked === email).length;
        const outcome = email.startsWith('grey') && turns < 3 ? deferred(email) : safe(email);
        if (outcome.kind === 'verdict' && turns < 3) outcome.explanation.replies = [reply];
        return outcome;
      };
      for (let claims = 0; claims < 3; claims += 1) {
        await fixture.run((await fixture.claim())!);
        fixture.time.advance(300_000 * 2 ** claims);
      }
      const at = (afterMs: number) => new Date(start + afterMs).toISOString();
      const task = await fixture.read(id);
      assert.ok(task.kind === 'task' && task.status === 'completed');
      const [grey, plain] = (task.results ?? []).map(({ explanation }) => explanation);
      assert.deepEqual(grey?.visits, [
        { at: at(0), reason: 'greylisted', replies: [reply] },
        { at: at(300_000), reason: 'greylisted', replies: [reply] },
        { at: at(900_000), reason: 'mailbox_accepted', replies: [] },
      ]);
      assert.ok(plain !== undefined && !('visits' in plain));
      await fixture.close();
    });

    it('the visits of an address that the deadline overtook are shown too', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, ['grey@example.com']);
      fixture.mind.answer = deferred;
      await fixture.run((await fixture.claim())!);
      fixture.time.advance(1_800_000);
      await fixture.sweep();
      const task = await fixture.read(id);
      const explanation = task.kind === 'task' ? task.results?.[0]?.explanation : undefined;
      assert.equal(explanation?.reason, 'deadline_reached');
      assert.deepEqual(
        explanation.visits?.map(({ reason }) => reason),
        ['greylisted'],
      );
      await fixture.close();
    });

    it('an address whose next visit would come after the deadline of its task is answered at once', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, ['grey@example.com']);
      fixture.mind.answer = deferred;
      fixture.time.advance(1_800_000 - 300_000);
      assert.equal(await fixture.run((await fixture.claim())!), 'completed');
      const task = await fixture.read(id);
      const explanation = task.kind === 'task' ? task.results?.[0]?.explanation : undefined;
      assert.equal(explanation?.reason, 'greylisted');
      await fixture.close();
    });

    it('a host that is left alone for a while, for whatever reason, is asked again, four times at the most', async () => {
      const fixture = await openTaskFixture(database);
      const reasons = Object.keys(reasonGroups.rest.texts);
      assert.ok(reasons.includes('provider_throttles') && reasons.includes('host_unreachable'));
      for (const reason of reasons) {
        assert.equal(await timesAsked(fixture, noAnswer('host_resting', reason)), 4, reason);
      }
      await fixture.close();
    });

    it('a host that is left alone is asked again when that ends, where the deadline allows it, and no sooner', async () => {
      const fixture = await openTaskFixture(database);
      const resting = (retryAfterMs: number): MailboxEvidence & { kind: 'no_answer' } => ({
        ...(noAnswer('host_resting', 'provider_throttles') as MailboxEvidence & { kind: 'no_answer' }),
        retryAfterMs,
      });
      fixture.mind.answer = (email) => outcomeOf(email, resting(1_200_000));
      await fixture.created(fixture.account.live, ['somebody@example.com']);
      assert.equal(await fixture.run((await fixture.claim())!), 'put_back');
      fixture.time.advance(1_199_000);
      assert.equal(await fixture.claim(), undefined, 'the rest is not over');
      fixture.time.advance(1_000);
      fixture.mind.answer = safe;
      assert.equal(await fixture.run((await fixture.claim())!), 'completed');
      assert.equal(fixture.asked.length, 2);
      assert.equal(await timesAsked(fixture, resting(3_600_000)), 1, 'the deadline comes before its end');
      await fixture.close();
    });

    it('so is one that puts the random probe off, whose answer the verdict waits for', async () => {
      const fixture = await openTaskFixture(database);
      const mailbox: MailboxEvidence = {
        ...accepted(),
        catchAll: {
          kind: 'undetermined',
          meaning: { label: 'greylisted_or_temporary', reason: 'greylisted' },
        },
      };
      assert.equal(await timesAsked(fixture, mailbox), 4);
      assert.equal(await timesAsked(fixture, accepted()), 1, 'nothing says that it would do better');
      await fixture.close();
    });

    it('an address whose domain an unproved resolver denies waits, uncharged, and is asked for until it is proved', async () => {
      const fixture = await openTaskFixture(database);
      const reasons = ['dns_denies_known_names', 'dns_denial_unproved', 'dns_denies_known_names'];
      const id = await fixture.created(fixture.account.live, ['somebody@example.com']);
      fixture.mind.answer = (email) => {
        const reason = reasons[fixture.asked.length - 1];
        return reason === undefined ? safe(email) : { ...unavailable, explanation: explanationOf(reason) };
      };
      for (const reason of reasons) {
        assert.equal(await fixture.run((await fixture.claim())!), 'put_back', reason);
        assert.equal(await fixture.claim(), undefined, 'nobody holds it meanwhile');
        fixture.time.advance(15_000);
      }
      assert.equal(await fixture.run((await fixture.claim())!), 'completed');
      const task = await fixture.read(id);
      assert.equal(task.kind === 'task' ? task.results?.[0]?.status : undefined, 'safe');
      await fixture.close();
    });

    it('a host that cannot be reached, falls silent or hangs up is asked once more, one that refuses is not', async () => {
      const fixture = await openTaskFixture(database);
      for (const reason of ['mx_unreachable', 'smtp_timeout', 'connection_lost'] as const) {
        assert.equal(await timesAsked(fixture, noAnswer(reason)), 2, reason);
      }
      assert.equal(await timesAsked(fixture, noAnswer('host_refused')), 1);
      await fixture.close();
    });
  });
}
