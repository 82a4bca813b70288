import { isDeepStrictEqual } from 'node:util';
import { chargedBy, type Answer, type Answered } from '../../support/api-client.ts';
import {
  judgeVerdict,
  type KeyedRequest,
  type WatchedAccount,
  type WatchedTask,
  type Expectations,
} from './expectations.ts';
import { isRecord } from '../../support/mailproof.ts';

/**
 * Checks of answers for the expectations: each answer is checked against everything acknowledged before its
 * request.
 */

/** Checks an answer of 200 without a key: conclusive and charged, or neither. */
export function checkVerdict(
  expected: Expectations,
  answer: Answered,
  { email, account }: { email: string; account: WatchedAccount },
): void {
  const conclusive = judgeVerdict(expected, email, answer.body['status']);
  const { creditsUsed } = answer;
  if (creditsUsed !== (conclusive ? '1' : '0'))
    expected.violations.push(`${email}: conclusive ${conclusive}, credits used ${creditsUsed}`);
  account.spent += Number(creditsUsed);
}

/** Refusals, which cost nothing; any other status is a defect. */
const refusals = new Set([409, 429, 502, 503, 504]);

export function checkRefusal(expected: Expectations, answer: Answered, what: string): void {
  if (!refusals.has(answer.status)) expected.violations.push(`${what}: ${answer.status} ${answer.text}`);
  if (answer.creditsUsed !== '0')
    expected.violations.push(`${what}: ${answer.status} used ${answer.creditsUsed}`);
}

/** Checks an answer with a key. `keptBefore` is the answer that was acknowledged when the request was sent. */
export function checkKeyed(
  expected: Expectations,
  request: KeyedRequest,
  { answer, keptBefore }: { answer: Answer; keptBefore: string | undefined },
): void {
  if (answer.kind === 'lost') return;
  const { status, creditsUsed, text: body } = answer;
  const what = `${request.kind} ${request.idempotencyKey}`;
  if (status !== (request.kind === 'single' ? 200 : 201)) {
    checkRefusal(expected, answer, what);
    // A refusal for overload is no answer; any other difference contradicts the kept answer.
    if (keptBefore !== undefined && status !== 503)
      expected.violations.push(`${what}: ${status} ${body} after ${keptBefore}`);
    return;
  }
  if (request.kind === 'single')
    checkCharge(expected, request, { answer, isRepeat: keptBefore !== undefined });
  const text = request.kind === 'single' ? body : `${creditsUsed} ${body}`;
  if (request.kept !== undefined) {
    expected.counts.replays += 1;
    if (text !== request.kept) expected.violations.push(`${what}: ${text} after ${request.kept}`);
    return;
  }
  request.kept = text;
  request.resolved = true;
  checkFirst(expected, request, answer);
}

/**
 * Checks the charge. Without the mark of a replay, the header has the charge of this very request. Of all requests
 * under one key, at most one is charged. A request that was sent alone is charged itself; a repeat of an
 * acknowledged one is not.
 */
function checkCharge(
  expected: Expectations,
  request: KeyedRequest,
  { answer, isRepeat }: { answer: Answered; isRepeat: boolean },
): void {
  const charged = chargedBy(answer) === 1;
  const conclusive = answer.body['status'] !== 'unknown';
  if (charged) request.charges += 1;
  const wrong =
    answer.creditsUsed !== (conclusive ? '1' : '0') ||
    (charged && (isRepeat || !conclusive || request.charges > 1)) ||
    (conclusive && !charged && request.asked === 1);
  if (wrong)
    expected.violations.push(
      `single ${request.idempotencyKey}: credits used ${answer.creditsUsed}, ${request.charges} charges heard of`,
    );
}

/** Checks the first answer, whatever its header says: an earlier answer may have been lost, with its charge. */
function checkFirst(expected: Expectations, request: KeyedRequest, answer: Answered): void {
  const { careful } = expected;
  if ('email' in request.body) {
    const conclusive = judgeVerdict(expected, request.body.email, answer.body['status']);
    careful.spent += conclusive ? 1 : 0;
    return;
  }
  const { apiKey, accepted } = request;
  checkCreated(expected, answer, {
    apiKey,
    accepted,
    payer: apiKey === careful.liveKey ? careful : undefined,
  });
}

export function checkCreated(
  expected: Expectations,
  answer: Answered,
  task: Pick<WatchedTask, 'apiKey' | 'payer' | 'accepted'>,
): void {
  const { task_id: taskId, count_processing: processing } = answer.body;
  const holds = task.payer === undefined ? 0 : task.accepted.length;
  if (processing !== task.accepted.length || answer.creditsUsed !== String(holds))
    expected.violations.push(
      `task ${String(taskId)} of ${task.accepted.length}: ${answer.creditsUsed} ${answer.text}`,
    );
  if (expected.tasks.some((other) => other.taskId === taskId))
    expected.violations.push(`task ${String(taskId)} was created twice`);
  expected.tasks.push({ ...task, taskId: String(taskId), stage: 0, checked: 0, final: undefined });
}

const stages: readonly unknown[] = ['waiting', 'running', 'completed'];

type Progress = Pick<WatchedTask, 'stage' | 'checked' | 'final'>;

/** Checks a task. `before` is what was acknowledged when the request was sent. */
export function checkTask(
  expected: Expectations,
  task: WatchedTask,
  { answer, before }: { answer: Answer; before: Progress },
): void {
  if (answer.kind === 'lost' || answer.status === 503) return;
  const what = `task ${task.taskId}`;
  if (answer.status !== 200) {
    expected.violations.push(`${what}: ${answer.status} ${answer.text}`);
    return;
  }
  const fields = answer.body;
  const stage = stages.indexOf(fields['status']);
  const checked = Number(fields['count_checked']);
  if (stage < before.stage || checked < before.checked)
    expected.violations.push(
      `${what} went back from ${before.stage}, ${before.checked} to ${stage}, ${checked}`,
    );
  task.stage = Math.max(task.stage, stage);
  task.checked = Math.max(task.checked, checked);
  if (stage === 2) checkResults(expected, task, answer);
}

function checkResults(expected: Expectations, task: WatchedTask, answer: Answered): void {
  const text = `${answer.creditsUsed} ${answer.text}`;
  const what = `task ${task.taskId}`;
  if (task.final !== undefined) {
    if (text !== task.final) expected.violations.push(`${what} changed: ${text} after ${task.final}`);
    return;
  }
  task.final = text;
  const { results } = answer.body;
  if (!isRecord(results) || !isDeepStrictEqual(Object.keys(results), task.accepted)) {
    expected.violations.push(`${what} has other results: ${answer.text}`);
    return;
  }
  const conclusive = Object.entries(results).filter(([email, result]) =>
    judgeVerdict(expected, email, isRecord(result) ? result['status'] : undefined),
  ).length;
  const charge = task.payer === undefined ? 0 : conclusive;
  if (answer.creditsUsed !== String(charge))
    expected.violations.push(`${what}: ${conclusive} conclusive, credits used ${answer.creditsUsed}`);
  if (task.payer !== undefined) task.payer.spent += charge;
}
