import { setTimeout as sleep } from 'node:timers/promises';
import type { WorldDescription } from '@mailproof/world';
import { singlePath, type ApiClient } from './api-client.ts';

const mailboxes = 200;

/** A world with one domain, whose mailboxes `p0` to `p199` exist. */
export const briskWorld: WorldDescription = {
  zones: { 'brisk.test': { mx: [[10, 'mx.brisk.test']] } },
  hosts: {
    'mx.brisk.test': {
      mailboxes: Object.fromEntries(
        Array.from({ length: mailboxes }, (_, n) => [`p${n}`, 'exists' as const]),
      ),
    },
  },
};

const retryMs = 250;

/**
 * Starts clients of an account that ask one after another, and soon again after a refusal. The number of answers
 * depends on `thinkMs`, the time between an answer and the next request, and less on a busy machine.
 */
export function startSteadyClients(
  client: ApiClient,
  key: string,
  { clients, thinkMs }: { clients: number; thinkMs: number },
) {
  const over = new AbortController();
  const answeredAt: number[] = [];
  const refused = new Map<string, number>();
  async function ask(number: number): Promise<void> {
    for (let n = number; !over.signal.aborted; n += clients) {
      const body = { email: `p${n % mailboxes}@brisk.test` };
      const answer = await client.send({ path: singlePath, key, body });
      const isAnswered = answer.kind === 'answered' && answer.status === 200;
      if (isAnswered) answeredAt.push(performance.now());
      else {
        const why =
          answer.kind === 'lost' ? 'lost' : `${answer.status} ${String(answer.headers['x-error-detail'])}`;
        refused.set(why, (refused.get(why) ?? 0) + 1);
      }
      await sleep(isAnswered ? thinkMs : retryMs);
    }
  }
  const asking = Array.from({ length: clients }, (_, n) => ask(n));
  return {
    /** How often each refusal was given. */
    refused,
    answeredIn: (from: number, ms: number): number =>
      answeredAt.filter((at) => at >= from && at < from + ms).length,
    end: async (): Promise<void> => {
      over.abort();
      await Promise.all(asking);
    },
  };
}
