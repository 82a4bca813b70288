import { type ApiClient, bulkPath, singlePath } from '../../support/api-client.ts';
import { hearCreated, hearKeyed, hearRefusal, hearTask, hearVerdict } from './hear.ts';
import type { KeyedRequest, WatchedTask, Witness } from './witness.ts';

/** The requests of the driver, each taken down by the witness. */
export type Asking = { witness: Witness; caller: Pick<ApiClient, 'send'> };

/** Answers with the status; 0 where the answer was lost. */
export async function askKeyed({ witness, caller }: Asking, request: KeyedRequest): Promise<number> {
  const keptBefore = request.kept;
  request.asked += 1;
  witness.counts.requests += 1;
  const answer = await caller.send({
    path: request.kind === 'single' ? singlePath : bulkPath,
    key: request.apiKey,
    body: request.body,
    headers: { 'idempotency-key': request.idempotencyKey },
  });
  hearKeyed(witness, request, { answer, keptBefore });
  if (answer.kind === 'answered') return answer.status;
  witness.counts.lost += 1;
  return 0;
}

export async function askTask({ witness, caller }: Asking, task: WatchedTask): Promise<void> {
  const { stage, checked, final } = task;
  witness.counts.requests += 1;
  const answer = await caller.send({ method: 'GET', path: `${bulkPath}/${task.taskId}`, key: task.apiKey });
  hearTask(witness, task, { answer, before: { stage, checked, final } });
  if (answer.kind === 'lost') witness.counts.lost += 1;
}

/** Without a key of its own: what is lost here may have been charged. */
export async function askCarelessly({ witness, caller }: Asking, email: string): Promise<void> {
  const account = witness.careless;
  witness.counts.requests += 1;
  const answer = await caller.send({ path: singlePath, key: account.liveKey, body: { email } });
  if (answer.kind === 'lost') {
    witness.counts.lost += 1;
    account.perhapsSpent += 1;
  } else if (answer.status === 200) {
    hearVerdict(witness, answer, { email, account });
  } else hearRefusal(witness, answer, email);
}

export async function createCarelessly(
  { witness, caller }: Asking,
  { emails, accepted }: { emails: string[]; accepted: string[] },
): Promise<void> {
  const payer = witness.careless;
  witness.counts.requests += 1;
  const answer = await caller.send({ path: bulkPath, key: payer.liveKey, body: { emails } });
  if (answer.kind === 'lost') {
    witness.counts.lost += 1;
    payer.perhapsSpent += accepted.length;
  } else if (answer.status === 201) {
    hearCreated(witness, answer, { apiKey: payer.liveKey, payer, accepted });
  } else hearRefusal(witness, answer, 'a task without a key');
}
