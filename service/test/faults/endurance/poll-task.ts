import { setTimeout as sleep } from 'node:timers/promises';
import { answerTo, bulkPath, fieldsOf, type Answered, type Caller } from './call.ts';

const patienceMs = 60_000;

/** Asks for a task until it is completed. */
export async function pollTask(caller: Caller, key: string, taskId: string): Promise<Answered> {
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    const answer = await answerTo(caller, { method: 'GET', path: `${bulkPath}/${taskId}`, key });
    if (answer.status !== 200) throw new Error(`task ${taskId}: ${answer.status} ${answer.body}`);
    if (fieldsOf(answer)['status'] === 'completed') return answer;
    await sleep(20);
  }
  throw new Error(`task ${taskId} did not complete`);
}
