import type { Clock } from '@mailproof/engine';
import { statement } from '../db/statement.ts';
import type { Store } from '../db/store.ts';
import type { WallClock } from '../db/wall-clock.ts';
import {
  claimDelivery,
  readDueWebhooks,
  releaseDelivery,
  type DeliveryClaim,
  type DueWebhook,
} from './claim-delivery.ts';
import { recordAttempt } from './record-attempt.ts';
import type { SendRequest } from './send-request.ts';
import { signMessage } from './sign-message.ts';
import { webhookLimits } from './webhook-limits.ts';

/**
 * The story of a delivery: a process has claimed it; sign, send, write down what came of it.
 *
 *     2xx            → delivered
 *     410            → given up, the endpoint is disabled
 *     anything else  → tried again later, ten times in all, then given up
 *     broken off     → put back: it is sent once more
 */
type SendDeliveriesParts = {
  store: Pick<Store, 'read' | 'write' | 'writeAlone'>;
  send: SendRequest;
  processId: string;
  clock: Pick<Clock, 'now'>;
  wallClock: WallClock;
  /** From 0 up to 1. */
  random: () => number;
  /** Told of our own defects. */
  onProblem: (message: string, error: unknown) => void;
};

/** As the worker wants it (see worker/start-worker.ts). */
type DeliverySender = {
  claim: () => Promise<DeliveryClaim | undefined>;
  run: (claim: DeliveryClaim, signals: { cut: AbortSignal }) => Promise<void>;
};

/** Endpoints that something is due for are looked for at most this often while others keep us busy. */
const lookEveryMs = 1_000;

/**
 * Endpoints take turns, and none has more than a few deliveries under way: one that hangs with thousands waiting for it
 * takes little of what the others need.
 */
export function createDeliverySender(parts: SendDeliveriesParts): DeliverySender {
  const due = new Map<string, DueWebhook>();
  const underWay = new Map<string, number>();
  let lookedAt = -Infinity;

  const count = (key: string, more: number) => {
    const now = (underWay.get(key) ?? 0) + more;
    if (now === 0) underWay.delete(key);
    else underWay.set(key, now);
  };
  const hasRoom = ({ webhookId, accountId }: DueWebhook) =>
    (underWay.get(webhookId) ?? 0) < webhookLimits.sentAtOnceToEndpoint &&
    (underWay.get(accountId) ?? 0) < webhookLimits.sentAtOnceOfAccount;

  async function look(): Promise<void> {
    lookedAt = parts.clock.now();
    for (const webhook of await readDueWebhooks(parts.store.read, parts.wallClock.now()))
      if (!due.has(webhook.webhookId)) due.set(webhook.webhookId, webhook);
  }

  async function claim(): Promise<DeliveryClaim | undefined> {
    if (due.size === 0 || parts.clock.now() - lookedAt >= lookEveryMs) await look();
    for (const webhook of [...due.values()]) {
      if (!hasRoom(webhook)) continue;
      const order = { ...webhook, processId: parts.processId, now: parts.wallClock.now() };
      due.delete(webhook.webhookId);
      const claimed = await parts.store.write((tx) => claimDelivery(tx, order));
      if (claimed === undefined) continue;
      due.set(webhook.webhookId, webhook);
      count(webhook.webhookId, 1);
      count(webhook.accountId, 1);
      return claimed;
    }
    return undefined;
  }

  return {
    claim: async () => {
      try {
        return await claim();
      } catch (error) {
        parts.onProblem('no webhook delivery could be claimed', error);
        return undefined;
      }
    },
    run: async (claimed, { cut }) => {
      try {
        await deliver(claimed, parts, cut);
      } catch (error) {
        if (!cut.aborted) parts.onProblem('a webhook delivery was interrupted and will be sent again', error);
      } finally {
        count(claimed.webhookId, -1);
        count(claimed.accountId, -1);
      }
    },
  };
}

const findEndpoint = statement((db, arg: { webhook: string }) =>
  db
    .selectFrom('webhook')
    .select(['url', 'secret', 'previous_secret', 'previous_until'])
    .where('id', '=', arg.webhook)
    .where('enabled', '=', 1)
    .where('deleted_at', 'is', null),
);

/** Where the endpoint was switched off since the claim, its deliveries were given up with it. */
export async function deliver(
  claim: DeliveryClaim,
  parts: SendDeliveriesParts,
  cut: AbortSignal,
): Promise<void> {
  const { store, wallClock } = parts;
  const endpoint = await store.read.first(findEndpoint, { webhook: claim.webhookId });
  if (endpoint === undefined) return;
  const startedAt = wallClock.now();
  const { url, secret, previous_secret: previous, previous_until: until } = endpoint;
  const secrets = previous !== null && until !== null && startedAt < until ? [secret, previous] : [secret];
  const headers = signMessage({ id: claim.eventId, body: claim.body, secrets, now: startedAt });
  try {
    const outcome = await parts.send({ url, headers, body: claim.body }, cut);
    const now = wallClock.now();
    await recordAttempt({ claim, outcome, startedAt, now, random: parts.random() }, parts);
  } catch (error) {
    if (cut.aborted) await store.write((tx) => releaseDelivery(tx, claim));
    throw error;
  }
}
