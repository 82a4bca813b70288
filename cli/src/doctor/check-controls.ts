import { readDoubtedProviders, StoreOpenError } from '@mailproof/service';
import type { DoctorParts, Finding } from './check.ts';
import { lookAtStore } from './look-at-store.ts';

/** Providers that reject the operator's control mailboxes, as the service last noted. Says nothing if none does. */
export async function checkControls({ config }: Pick<DoctorParts, 'config'>): Promise<Finding[]> {
  const doubted = await readDoubted(config);
  return doubted.map((provider) => ({
    check: 'control mailboxes',
    state: 'warning',
    seen: `${provider} rejects a mailbox that you named as living, so its "no such mailbox" is not believed`,
    remedy:
      'Check whether the mailbox still exists, and take it out of "controls" in the providers file if not. Otherwise wait until the provider accepts it again.',
  }));
}

/** That a store cannot be read is told by the check of the routes. */
async function readDoubted(config: DoctorParts['config']): Promise<string[]> {
  try {
    const read = await lookAtStore(config, (store) => readDoubtedProviders({ store, wallClock: Date }));
    return read ?? [];
  } catch (error) {
    if (error instanceof StoreOpenError) return [];
    throw error;
  }
}
