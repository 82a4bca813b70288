import type { Feature, StoreShare } from '../../core/feature.ts';
import { createEraser } from '../../core/upkeep/erase-in-slices.ts';
import { releaseDeliveriesOf } from './claim-delivery.ts';
import { deliveriesErasedAtOnce, eraseWebhookSlice } from './erase-webhooks.ts';
import { writeHappened } from './write-event.ts';
import type { WebhookHttp } from './webhook-actions.ts';

const store: StoreShare = {
  listener: writeHappened,
  releaseOf: releaseDeliveriesOf,
  createSweep: ({ serialKey, ...parts }) => {
    const eraseWebhooks = createEraser(eraseWebhookSlice, { most: deliveriesErasedAtOnce, serialKey });
    return async () => {
      await eraseWebhooks(parts);
      // A delivery never holds an address.
      return 0;
    };
  },
};

export const webhooksFeature: Feature<WebhookHttp> = {
  name: 'webhooks',
  store,
  loadHttp: async () => (await import('./routes/webhooks-http.ts')).webhooksHttp,
};
