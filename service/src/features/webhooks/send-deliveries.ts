import type { Clock } from '@mailproof/engine';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import {
  claimDelivery,
  readDueWebhooks,
  releaseDelivery,
  type DeliveryClaim,
  type DueWebhook,
} from './claim-delivery.ts';
import { createDeliveryPlaces } from './delivery-places.ts';
import { isTimeout, recordAttempt } from './record-attempt.ts';
import type { SendOutcome, SendRequest } from './send-request.ts';
import { signMessage } from './sign-message.ts';

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

/** Endpoints take turns for the places that there are (see delivery-places.ts). */
export function createDeliverySender(parts: SendDeliveriesParts): DeliverySender {
  const due = new Map<string, DueWebhook>();
  /** Whether endpoints hung at their last attempt, where that is newer than what was read. */
  const newlyKnown = new Map<string, boolean>();
  const places = createDeliveryPlaces();
  const held = new Map<DeliveryClaim, () => void>();
  let lookedAt = -Infinity;

  const renewed = (webhook: DueWebhook): DueWebhook => ({
    ...webhook,
    hangs: newlyKnown.get(webhook.webhookId) ?? webhook.hangs,
  });

  async function look(): Promise<void> {
    lookedAt = parts.clock.now();
    newlyKnown.clear();
    // One that waits keeps its turn; what is known of it is renewed.
    for (const webhook of await readDueWebhooks(parts.store.read, parts.wallClock.now()))
      due.set(webhook.webhookId, renewed(webhook));
  }

  /** If none of those that are known has a place, something may have become due for one that has. */
  async function claim(): Promise<DeliveryClaim | undefined> {
    const isTime = due.size === 0 || parts.clock.now() - lookedAt >= lookEveryMs;
    if (isTime) await look();
    const claimed = await claimKnown();
    if (claimed !== undefined || isTime) return claimed;
    await look();
    return claimKnown();
  }

  async function claimKnown(): Promise<DeliveryClaim | undefined> {
    for (const known of [...due.values()]) {
      const webhook = renewed(known);
      const leave = places.take(webhook);
      if (leave === undefined) continue;
      const order = { ...webhook, processId: parts.processId, now: parts.wallClock.now() };
      due.delete(webhook.webhookId);
      const claimed = await claimOrLeave(parts.store, order, leave);
      if (claimed === undefined) continue;
      due.set(webhook.webhookId, webhook);
      held.set(claimed, leave);
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
        const outcome = await deliver(claimed, parts, cut);
        if (outcome !== undefined) newlyKnown.set(claimed.webhookId, isTimeout(outcome));
      } catch (error) {
        if (!cut.aborted) parts.onProblem('a webhook delivery was interrupted and will be sent again', error);
      } finally {
        held.get(claimed)?.();
        held.delete(claimed);
      }
    },
  };
}

/** A place that nothing was claimed for is given back. */
async function claimOrLeave(
  store: SendDeliveriesParts['store'],
  order: Parameters<typeof claimDelivery>[1],
  leave: () => void,
): Promise<DeliveryClaim | undefined> {
  let claimed: DeliveryClaim | undefined;
  try {
    claimed = await store.write((tx) => claimDelivery(tx, order));
    return claimed;
  } finally {
    if (claimed === undefined) leave();
  }
}

const findEndpoint = statement((db, arg: { webhook: string }) =>
  db
    .selectFrom('webhook')
    .select(['url', 'secret', 'previous_secret', 'previous_until'])
    .where('id', '=', arg.webhook)
    .where('enabled', '=', 1)
    .where('deleted_at', 'is', null),
);

/**
 * If the endpoint was switched off since the claim, its deliveries were given up with it, and nothing is sent. Answers
 * with what came of the attempt.
 */
export async function deliver(
  claim: DeliveryClaim,
  parts: SendDeliveriesParts,
  cut: AbortSignal,
): Promise<SendOutcome | undefined> {
  const { store, wallClock } = parts;
  const endpoint = await store.read.first(findEndpoint, { webhook: claim.webhookId });
  if (endpoint === undefined) return undefined;
  const startedAt = wallClock.now();
  const { url, secret, previous_secret: previous, previous_until: until } = endpoint;
  const secrets = previous !== null && until !== null && startedAt < until ? [secret, previous] : [secret];
  const headers = signMessage({ id: claim.eventId, body: claim.body, secrets, now: startedAt });
  try {
    const outcome = await parts.send({ url, headers, body: claim.body }, cut);
    const now = wallClock.now();
    await recordAttempt({ claim, outcome, startedAt, now, random: parts.random() }, parts);
    return outcome;
  } catch (error) {
    if (cut.aborted) await store.write((tx) => releaseDelivery(tx, claim));
    throw error;
  }
}
