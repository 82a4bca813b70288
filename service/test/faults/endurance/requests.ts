import { type ApiClient, bulkPath, singlePath } from '../../support/api-client.ts';
import { checkCreated, checkKeyed, checkRefusal, checkTask, checkVerdict } from './check-answers.ts';
import type { KeyedRequest, WatchedTask, Expectations } from './expectations.ts';

/** The requests of the driver, each recorded in the expectations. */
export type Asking = { expected: Expectations; client: Pick<ApiClient, 'send'> };

/** Sends a request and returns the status; 0 if the answer was lost. */
export async function askKeyed({ expected, client }: Asking, request: KeyedRequest): Promise<number> {
  const keptBefore = request.kept;
  request.asked += 1;
  expected.counts.requests += 1;
  const answer = await client.send({
    path: request.kind === 'single' ? singlePath : bulkPath,
    key: request.apiKey,
    body: request.body,
    headers: { 'idempotency-key': request.idempotencyKey },
  });
  checkKeyed(expected, request, { answer, keptBefore });
  if (answer.kind === 'answered') return answer.status;
  expected.counts.lost += 1;
  return 0;
}

export async function askTask({ expected, client }: Asking, task: WatchedTask): Promise<void> {
  const { stage, checked, final } = task;
  expected.counts.requests += 1;
  const answer = await client.send({ method: 'GET', path: `${bulkPath}/${task.taskId}`, key: task.apiKey });
  checkTask(expected, task, { answer, before: { stage, checked, final } });
  if (answer.kind === 'lost') expected.counts.lost += 1;
}

/** Sends a request without a key: a lost one may have been charged. */
export async function askCarelessly({ expected, client }: Asking, email: string): Promise<void> {
  const account = expected.careless;
  expected.counts.requests += 1;
  const answer = await client.send({ path: singlePath, key: account.liveKey, body: { email } });
  if (answer.kind === 'lost') {
    expected.counts.lost += 1;
    account.perhapsSpent += 1;
  } else if (answer.status === 200) {
    checkVerdict(expected, answer, { email, account });
  } else checkRefusal(expected, answer, email);
}

export async function createCarelessly(
  { expected, client }: Asking,
  { emails, accepted }: { emails: string[]; accepted: string[] },
): Promise<void> {
  const payer = expected.careless;
  expected.counts.requests += 1;
  const answer = await client.send({ path: bulkPath, key: payer.liveKey, body: { emails } });
  if (answer.kind === 'lost') {
    expected.counts.lost += 1;
    payer.perhapsSpent += accepted.length;
  } else if (answer.status === 201) {
    checkCreated(expected, answer, { apiKey: payer.liveKey, payer, accepted });
  } else checkRefusal(expected, answer, 'a task without a key');
}
