import { setTimeout as sleep } from 'node:timers/promises';
import type { Answered, ApiClient, Call } from './api-client.ts';

const askAgainMs = 250;

/**
 * One request of a crowd, sent again until it is answered. A machine with much else to do may turn it away: 503, or 408
 * where it came too slowly, because we are as busy as everybody else; and while we still send, that answer may be lost
 * with the connection that the service then closes. Who is turned away in the moment of a commit may have been charged
 * without hearing of it.
 */
export async function askInACrowd(
  client: ApiClient,
  call: Call,
): Promise<{ answer: Answered; turnedAway: number }> {
  for (let turnedAway = 0; ; turnedAway += 1) {
    const answer = await client.send(call);
    if (answer.kind === 'answered' && answer.status !== 503 && answer.status !== 408)
      return { answer, turnedAway };
    await sleep(askAgainMs);
  }
}
