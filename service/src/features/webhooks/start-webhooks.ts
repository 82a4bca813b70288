import { ownAddresses, type Clock } from '@mailproof/engine';
import type { Config } from '../../core/config/config.ts';
import type { ProcessRegistry } from '../../core/store/process-registry.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { placesAtOnce } from './delivery-places.ts';
import { createDeliverySender } from './send-deliveries.ts';
import { tracedWebhooks } from '../../core/process/traced.ts';
import { createSendRequest, type SendOutcome, type SendRequest } from './send-request.ts';
import { startWorker } from '../../core/verify/worker/start-worker.ts';
import { openResolver } from '../people/routes/open-oidc.ts';

type WebhookParts = {
  store: Store;
  registry: ProcessRegistry;
  clock: Clock;
  wallClock: WallClock;
  onProblem: (message: string, error: unknown) => void;
  /** Told of every attempt and how long it took. */
  onAttempt: (outcome: SendOutcome, tookMs: number) => void;
};

/** The channel that tells workers of something to send. */
export const newDeliveries = 'mailproof_webhooks';

/** Sends what waits in the outbox, whichever process wrote it. */
export function startWebhooks(config: Config, parts: WebhookParts): { stop(): Promise<void> } {
  const { store, registry, clock } = parts;
  const resolver = openResolver(config, clock);
  // Any tenant names an endpoint, so the blocks that are open to mail hosts are not open to it.
  const egressAllow = config.webhookEgressAllow;
  const sendOnce = createSendRequest({ resolver: resolver.uncached, clock, egressAllow, ownAddresses });
  const send: SendRequest = async (message, signal) => {
    const startedAt = clock.now();
    const outcome = await tracedWebhooks.tracePromise(() => sendOnce(message, signal), {});
    parts.onAttempt(outcome, clock.now() - startedAt);
    return outcome;
  };
  const sender = createDeliverySender({ ...parts, send, processId: registry.ownId, random: Math.random });
  const worker = startWorker({
    ...sender,
    clock,
    limits: { tasksAtOnce: placesAtOnce, pollMs: 1_000, drainMs: 5_000 },
    onProblem: parts.onProblem,
  });
  const stopListening = store.listen(newDeliveries, () => worker.wake());
  return {
    stop: async () => {
      stopListening();
      await worker.stop();
      resolver.close();
    },
  };
}
