import { createBoundedCache, type Clock } from '@mailproof/engine';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';

/**
 * Counters of today's uses: per key over all processes, per visitor in this one. A use costs one step in a map. Once a
 * second, new uses are added to the store and the sum of all processes is read back. So one process keeps a key's cap
 * exactly; several exceed it by at most the others' uses of a second.
 *
 * A key's cap protects its owner, and a visitor's cap limits only that visitor.
 */
type FormUses = {
  /** Counts a check unless a cap is reached. `counted` is the store's count when the key was read. */
  take(use: FormUse): 'taken' | 'key_cap' | 'visitor_cap';
  /** Returns the seconds until the next day (UTC). */
  secondsLeft(): number;
  /** Adds new uses to the store; called every second. Throws if that fails. */
  write(): Promise<void>;
};

type FormUse = {
  key: string;
  visitor: string;
  counted: number;
  checksPerDay: number;
  checksPerVisitor: number;
};

const dayMs = 86_400_000;
/** Visitors remembered; the longest unseen is forgotten first. */
const mostVisitors = 100_000;
const keptDays = 31;

const addUses = statement((db, arg: { key: string; day: number; checks: number }) =>
  db
    .insertInto('form_use')
    .values({ key_id: arg.key, day: arg.day, checks: arg.checks })
    .onConflict((conflict) =>
      conflict
        .columns(['key_id', 'day'])
        .doUpdateSet((eb) => ({ checks: eb('form_use.checks', '+', eb.ref('excluded.checks')) })),
    )
    .returning('checks'),
);

const eraseOld = statement((db, arg: { before: number }) =>
  db.deleteFrom('form_use').where('day', '<', arg.before),
);

/** `known`: in the store. `gathered`: here, not yet in the store. */
type KeyUse = { day: number; known: number; gathered: number };

type FormUsesParts = { store: Pick<Store, 'write'>; clock: Clock; wallClock: WallClock };

export function createFormUses({ store, clock, wallClock }: FormUsesParts): FormUses {
  const byKey = new Map<string, KeyUse>();
  const byVisitor = createBoundedCache<number>({ clock, maxEntries: mostVisitors });
  const today = (): number => Math.floor(wallClock.now() / dayMs);
  const msLeft = (): number => dayMs - (wallClock.now() % dayMs);
  let erasedOn = 0;

  function useOf(key: string, counted: number): KeyUse {
    const day = today();
    const known = byKey.get(key);
    const use = known?.day === day ? known : { day, known: 0, gathered: 0 };
    use.known = Math.max(use.known, counted);
    byKey.set(key, use);
    return use;
  }

  async function erase(day: number): Promise<void> {
    if (erasedOn === day) return;
    await store.write((tx) => tx.change(eraseOld, { before: day - keptDays }));
    erasedOn = day;
  }

  return {
    take({ key, visitor, counted, checksPerDay, checksPerVisitor }) {
      const use = useOf(key, counted);
      if (use.known + use.gathered >= checksPerDay) return 'key_cap';
      const place = `${key} ${visitor}`;
      const visits = byVisitor.get(place) ?? 0;
      if (visits >= checksPerVisitor) return 'visitor_cap';
      byVisitor.set(place, visits + 1, msLeft());
      use.gathered += 1;
      return 'taken';
    },
    secondsLeft: () => Math.ceil(msLeft() / 1_000),
    async write() {
      const day = today();
      for (const [key, use] of byKey) {
        const checks = use.gathered;
        if (checks === 0) {
          if (use.day !== day) byKey.delete(key);
          continue;
        }
        const row = await store.write((tx) => tx.first(addUses, { key, day: use.day, checks }));
        use.gathered -= checks;
        use.known = Math.max(use.known, row?.checks ?? 0);
      }
      if (byKey.size > 0) await erase(day);
    },
  };
}
