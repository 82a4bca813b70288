import { createBoundedCache, type Clock } from '@mailproof/engine';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';

/**
 * How often form keys were used today: by key in all processes together, and by visitor in this one. A use costs one
 * step in a map; once a second what has gathered is added to the store, and the sum of all processes is read back. So
 * one process keeps a key's cap exactly, and several exceed it by what the others do in a second at most.
 *
 * The key's owner pays for the cap of a key, and each visitor for its own.
 */
type FormUses = {
  /** Counts a check unless a cap is reached. `counted` is what the store knew of the key when it was read. */
  take(use: FormUse): 'taken' | 'key_cap' | 'visitor_cap';
  /** Until a new day begins (UTC). */
  secondsLeft(): number;
  /** Adds what has gathered to the store. Called every second; tells what went wrong by throwing. */
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
/** Visitors beyond are forgotten, the longest unseen first. */
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

/** `known`: in the store. `gathered`: here, and not there yet. */
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
