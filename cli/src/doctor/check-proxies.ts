import { readUntrustedPeer, StoreOpenError } from '@mailproof/service';
import type { DoctorParts, Finding } from './check.ts';
import { lookAtStore } from './look-at-store.ts';

/** A peer that sent forwarding headers within a day without being trusted. Says nothing if there was none. */
export async function checkProxies({ config }: Pick<DoctorParts, 'config'>): Promise<Finding[]> {
  const { trustedProxies } = config;
  try {
    const peer = await lookAtStore(config, (store) =>
      readUntrustedPeer({ store, wallClock: Date, trustedProxies }),
    );
    return peer === undefined ? [] : [findingOf(peer)];
  } catch (error) {
    // That a store cannot be read is told by the check of the probers.
    if (error instanceof StoreOpenError) return [];
    throw error;
  }
}

function findingOf(peer: string): Finding {
  return {
    check: 'trusted proxies',
    state: 'warning',
    seen: `${peer} sends forwarding headers but is not in MAILPROOF_TRUSTED_PROXIES, so all clients behind it count as one`,
    remedy: `If ${peer} is your proxy, set MAILPROOF_TRUSTED_PROXIES to it. If not, somebody makes the headers up, and they are ignored.`,
  };
}
