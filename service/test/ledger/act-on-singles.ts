import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Outcome } from '@mailproof/engine';
import { settle } from '../../src/core/ledger/settle.ts';
import { statement } from '../../src/core/store/statement.ts';
import { addressOf } from '../support/address-of.ts';
import { createSlots } from '../../src/core/verify/slots.ts';
import { createGivenUp } from '../../src/core/verify/given-up.ts';
import { verifyOne, type VerifyOneAnswer } from '../../src/core/verify/verify-one.ts';
import { safe, timeout, unknown } from '../support/outcomes.ts';
import type { Command } from './command.ts';
import { answersTo, close, day, hold, keyAt, releaseSingle, type ModelSingle } from './model.ts';
import { pick, type Fixture } from './fixture.ts';

/** What callers of single verifications do. */
export async function doStartSingle(
  fixture: Fixture,
  { key }: Command & { kind: 'start_single' },
): Promise<void> {
  const { model, registry, wallClock } = fixture;
  const { probing, result, answer } = startVerifying(fixture, key);
  const first = await Promise.race([probing, result]);
  const known = keyAt(model, key, wallClock.now());
  if (known !== undefined) {
    const answered = known.inProgress ? 'request_in_progress' : `${known.taskId} replayed`;
    assert.equal(first, known.endpoint === 'single' ? answered : 'idempotency_mismatch');
    return;
  }
  const [allowed = ''] = answersTo(model, 1);
  assert.equal(first, allowed === 'paid' ? 'probing' : allowed);
  if (first !== 'probing') return;
  hold(model, 1);
  const { ownId: owner } = registry;
  const expiresAt = wallClock.now() + 40_000;
  const single: ModelSingle = { holdOpen: true, expiresAt, owner, key };
  model.singles.push(single);
  fixture.singles.push({ model: single, answer, result, ended: false });
  if (key === undefined) return;
  model.keys.set(key, { endpoint: 'single', body: '', inProgress: true, owner, expiresAt, taskId: '' });
}

export async function doKnownSingles(
  fixture: Fixture,
  { key, times }: Command & { kind: 'known_singles' },
): Promise<void> {
  const { model, wallClock } = fixture;
  const known = keyAt(model, key, wallClock.now());
  const wanted = key === undefined ? times : 1;
  const answers = await Promise.all(
    Array.from({ length: wanted }, () => startVerifying(fixture, key, safe('single@example.com')).result),
  );
  if (known !== undefined) {
    const answered = known.inProgress ? 'request_in_progress' : `${known.taskId} replayed`;
    assert.deepEqual(answers, [known.endpoint === 'single' ? answered : 'idempotency_mismatch']);
    return;
  }
  const expected = answersTo(model, wanted).map((answer) => (answer === 'paid' ? 'safe 1' : answer));
  assert.deepEqual(answers.sort(), expected.sort());
  const paid = answers.filter((answer) => answer === 'safe 1').length;
  hold(model, paid);
  close(model, paid, paid);
  if (key === undefined || answers[0] !== 'safe 1') return;
  const kept = { endpoint: 'single', body: '', inProgress: false, owner: '', taskId: 'safe 1' } as const;
  model.keys.set(key, { ...kept, expiresAt: wallClock.now() + day });
}

/** Asks for a verification whose engine answers when told to, or knows the answer at once. */
function startVerifying(
  { store, live, registry, time }: Fixture,
  key: number | undefined,
  recalled?: Outcome,
) {
  const { wallClock } = time;
  const asked = Promise.withResolvers<'probing'>();
  const engineAnswer = Promise.withResolvers<Outcome>();
  const verify = () => {
    asked.resolve('probing');
    return engineAnswer.promise;
  };
  const slots = createSlots({ clock: time, limits: { total: 1, perAccount: 1, bulk: 1 } });
  const engine = {
    engine: { verify },
    recall: () => (recalled?.kind === 'verdict' ? recalled : undefined),
    sandbox: { verify },
    slots,
    clock: time,
  };
  const givenUp = createGivenUp({ clock: time, onProblem: () => undefined });
  const idempotency = key === undefined ? undefined : { key: String(key), bodyHash: 'single' };
  const signal = new AbortController().signal;
  const result = verifyOne(
    {
      requestId: randomUUID(),
      caller: live,
      address: addressOf('single@example.com'),
      idempotency,
      explain: false,
      signal,
    },
    {
      ...engine,
      store,
      endStore: store,
      wallClock,
      processId: registry.ownId,
      givenUp,
      singleTimeoutMs: 30_000,
    },
  ).then(describeAnswer, () => 'threw');
  const answer = (outcome: Outcome | Error) =>
    outcome instanceof Error ? engineAnswer.reject(outcome) : engineAnswer.resolve(outcome);
  return { probing: asked.promise, result, answer };
}

function describeAnswer(answer: VerifyOneAnswer): string {
  if (answer.kind !== 'verified') return answer.kind;
  return `${answer.verdict.status} ${answer.creditsUsed}${answer.replayed ? ' replayed' : ''}`;
}

export async function doEndSingle(
  fixture: Fixture,
  { which, as }: Command & { kind: 'end_single' },
): Promise<void> {
  const { model, singles, wallClock } = fixture;
  const single = pick(
    singles.filter((one) => !one.ended),
    which,
  );
  if (single === undefined) return;
  single.ended = true;
  const outcomes = {
    conclusive: safe('single@example.com'),
    inconclusive: unknown('single@example.com'),
    timeout,
    defect: new Error('x'),
  };
  single.answer(outcomes[as]);
  const charge = as === 'conclusive' ? 1 : 0;
  const verdict = as === 'conclusive' ? 'safe 1' : 'unknown 0';
  const isVerdict = as === 'conclusive' || as === 'inconclusive';
  const paid = isVerdict && single.model.holdOpen && wallClock.now() < single.model.expiresAt;
  const expected = as === 'defect' ? 'threw' : paid ? verdict : 'timeout';
  assert.equal(await single.result, expected);
  if (paid) {
    single.model.holdOpen = false;
    close(model, 1, charge);
  } else releaseSingle(model, single.model);
  endKey(fixture, single.model, paid ? verdict : undefined);
}

/** The key is finished or freed, unless another attempt has taken it since. */
function endKey(fixture: Fixture, { key, owner, expiresAt }: ModelSingle, verdict: string | undefined): void {
  const { model, wallClock } = fixture;
  const known = key === undefined ? undefined : model.keys.get(key);
  if (
    key === undefined ||
    known?.inProgress !== true ||
    known.owner !== owner ||
    known.expiresAt !== expiresAt
  )
    return;
  if (verdict === undefined) model.keys.delete(key);
  else
    model.keys.set(key, { ...known, inProgress: false, expiresAt: wallClock.now() + day, taskId: verdict });
}

const findHolds = statement((db, arg: { account: string }) =>
  db.selectFrom('hold').select(['id', 'state']).where('account_id', '=', arg.account).orderBy('id'),
);

export async function doSettleAgain(
  fixture: Fixture,
  { which }: Command & { kind: 'settle_again' },
): Promise<void> {
  const { store, accountId, wallClock } = fixture;
  const settled = (await store.read.all(findHolds, { account: accountId })).filter(
    ({ state }) => state === 'settled',
  );
  const one = pick(settled, which);
  if (one === undefined) return;
  const answer = await store.write((tx) =>
    settle(tx, { accountId, holdId: one.id, charge: 1, now: wallClock.now() }),
  );
  assert.equal(answer.kind, 'already_settled');
}
