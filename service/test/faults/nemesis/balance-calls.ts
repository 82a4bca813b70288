import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../support/api-client.ts';
import type { History } from './history.ts';
import type { ServiceProcess } from './service-process.ts';

/** A refused caller waits a little, as clients do. */
const pauseMs = 100;

/**
 * A client in front of several APIs, like a load balancer: each call goes to the next that is up. All answers are
 * kept.
 */
export function balanceCalls(
  apis: readonly ServiceProcess[],
  history: Pick<History, 'take'>,
): Pick<ApiClient, 'send'> {
  let turn = 0;
  return {
    send: async (call) => {
      const clients = apis.flatMap((one) => one.client() ?? []);
      const client = clients[(turn += 1) % clients.length];
      if (client === undefined) throw new Error('no API is up');
      const answer = await client.send(call);
      history.take(call, answer);
      if (answer.kind === 'lost' || answer.status === 503) await sleep(pauseMs);
      return answer;
    },
  };
}
