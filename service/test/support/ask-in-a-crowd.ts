import { setTimeout as sleep } from 'node:timers/promises';
import type { Answered, ApiClient, Call } from './api-client.ts';

const askAgainMs = 250;

/**
 * Sends one request of a crowd until it is answered. A busy machine may refuse it: 503, or 408 if it arrived too
 * slowly. While we still send, that answer may be lost with the connection that the service then closes. A request
 * that is refused at the moment of its commit may have been charged without knowing it.
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
