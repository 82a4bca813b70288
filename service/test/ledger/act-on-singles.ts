import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Outcome } from '@mailproof/engine';
import { createTill } from '../../src/credits/till.ts';
import { settle } from '../../src/credits/settle.ts';
import { statement } from '../../src/db/statement.ts';
import { addressOf } from '../support/address-of.ts';
import { createSlots } from '../../src/verifications/slots.ts';
import { verifyOne, type VerifyOneAnswer } from '../../src/verifications/verify-one.ts';
import { safe, timeout, unknown } from '../support/outcomes.ts';
import type { Command } from './command.ts';
import { close, day, hold, keyAt, releaseSingle, type ModelSingle } from './model.ts';
import { pick, type Scene } from './scene.ts';

/** What callers of single verifications do. */
export async function doStartSingle(
  scene: Scene,
  { key }: Command & { kind: 'start_single' },
): Promise<void> {
  const { model, registry, wallClock } = scene;
  const { probing, result, answer } = startVerifying(scene, key);
  const first = await Promise.race([probing, result]);
  const known = keyAt(model, key, wallClock.now());
  if (known !== undefined) {
    const answered = known.inProgress ? 'request_in_progress' : `${known.taskId} replayed`;
    assert.equal(first, known.endpoint === 'single' ? answered : 'idempotency_mismatch');
    return;
  }
  assert.equal(first, model.available < 1 ? 'insufficient_credits' : 'probing');
  if (first !== 'probing') return;
  hold(model, 1);
  const { ownId: owner } = registry;
  const expiresAt = wallClock.now() + 40_000;
  const single: ModelSingle = { holdOpen: true, expiresAt, owner, key };
  model.singles.push(single);
  scene.singles.push({ model: single, answer, result, ended: false });
  if (key === undefined) return;
  model.keys.set(key, { endpoint: 'single', body: '', inProgress: true, owner, expiresAt, taskId: '' });
}

export async function doSellSingle(scene: Scene, { key }: Command & { kind: 'sell_single' }): Promise<void> {
  const { model, wallClock } = scene;
  const known = keyAt(model, key, wallClock.now());
  const sold = await startVerifying(scene, key, safe('single@example.com')).result;
  if (known !== undefined) {
    const answered = known.inProgress ? 'request_in_progress' : `${known.taskId} replayed`;
    assert.equal(sold, known.endpoint === 'single' ? answered : 'idempotency_mismatch');
    return;
  }
  assert.equal(sold, model.available < 1 ? 'insufficient_credits' : 'safe 1');
  if (sold !== 'safe 1') return;
  hold(model, 1);
  close(model, 1, 1);
  if (key === undefined) return;
  const expiresAt = wallClock.now() + day;
  model.keys.set(key, {
    endpoint: 'single',
    body: '',
    inProgress: false,
    owner: '',
    expiresAt,
    taskId: sold,
  });
}

/** Asks for a verification whose engine answers when told to, or knows the answer at once. */
function startVerifying({ store, live, registry, time }: Scene, key: number | undefined, recalled?: Outcome) {
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
    till: createTill({ store, wallClock }),
    slots,
    clock: time,
  };
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
    { ...engine, store, wallClock, processId: registry.ownId, singleTimeoutMs: 30_000 },
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
  scene: Scene,
  { which, as }: Command & { kind: 'end_single' },
): Promise<void> {
  const { model, singles } = scene;
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
  const wasOpen = single.model.holdOpen;
  const expected = as === 'defect' ? 'threw' : isVerdict && wasOpen ? verdict : 'timeout';
  assert.equal(await single.result, expected);
  if (wasOpen && isVerdict) {
    single.model.holdOpen = false;
    close(model, 1, charge);
  } else releaseSingle(model, single.model);
  endKey(scene, single.model, wasOpen && isVerdict ? verdict : undefined);
}

/** The key is finished or freed, unless another attempt has taken it since. */
function endKey(scene: Scene, { key, owner, expiresAt }: ModelSingle, verdict: string | undefined): void {
  const { model, wallClock } = scene;
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
  scene: Scene,
  { which }: Command & { kind: 'settle_again' },
): Promise<void> {
  const { store, accountId, wallClock } = scene;
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
