import type { StoreShare } from '../../core/feature.ts';
import { createEraser } from '../../core/upkeep/erase-in-slices.ts';
import { releaseDeliveriesOf } from './claim-delivery.ts';
import { deliveriesErasedAtOnce, eraseWebhookSlice } from './erase-webhooks.ts';
import { writeHappened } from './write-event.ts';

export const webhooksInStore: StoreShare = {
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
