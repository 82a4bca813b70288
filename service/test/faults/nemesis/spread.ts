import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../support/api-client.ts';
import type { History } from './history.ts';
import type { Member } from './member.ts';

/** Who was turned away waits a little, as clients do. */
const pauseMs = 100;

/** A caller in front of several APIs, as a balancer is: each call goes to the next that is up. All answers are kept. */
export function createSpread(
  apis: readonly Member[],
  history: Pick<History, 'take'>,
): Pick<ApiClient, 'send'> {
  let turn = 0;
  return {
    send: async (call) => {
      const callers = apis.flatMap((member) => member.caller() ?? []);
      const caller = callers[(turn += 1) % callers.length];
      if (caller === undefined) throw new Error('no API is up');
      const answer = await caller.send(call);
      history.take(call, answer);
      if (answer.kind === 'lost' || answer.status === 503) await sleep(pauseMs);
      return answer;
    },
  };
}
