import { createFairSlots, type Clock, type FairSlots } from '@mailproof/engine';

/**
 * How many verifications run at once in this process, and for whom.
 *
 * Singles go before bulk, because somebody waits for them. No account takes more than its share, and among
 * the accounts that wait each gets a slot in turn, so that one account's thousand slow addresses cost another
 * account nothing but its share. Bulk leaves a few slots that only singles take.
 */
export type Slots = Pick<FairSlots, 'take'>;

export type SlotLimits = { total: number; perAccount: number; bulk: number };

/** The shares of a process that runs `total` verifications at once. */
export function slotLimits(total: number): SlotLimits {
  return {
    total,
    perAccount: Math.max(1, Math.floor(total * 0.2)),
    bulk: Math.max(1, Math.floor(total * 0.9)),
  };
}

export function createSlots({ clock, limits }: { clock: Clock; limits: SlotLimits }): Slots {
  const inUse = { single: 0, bulk: 0 };
  const ofAccount = new Map<string, number>();
  return createFairSlots({
    clock,
    rule: {
      hasRoom: (urgency) =>
        inUse.single + inUse.bulk < limits.total && (urgency === 'single' || inUse.bulk < limits.bulk),
      hasShare: (account) => (ofAccount.get(account) ?? 0) < limits.perAccount,
    },
    onTaken({ account, urgency }) {
      inUse[urgency] += 1;
      ofAccount.set(account, (ofAccount.get(account) ?? 0) + 1);
    },
    onReleased({ account, urgency }) {
      inUse[urgency] -= 1;
      const left = (ofAccount.get(account) ?? 0) - 1;
      if (left > 0) ofAccount.set(account, left);
      else ofAccount.delete(account);
    },
  });
}
