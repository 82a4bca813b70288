import { createBoundedCache, type Clock } from '@mailproof/engine';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { isFormKey } from './form-key.ts';

/** A key as a check needs it, with how often it was used today as far as the store knows. */
export type FoundFormKey = {
  key: string;
  accountId: string;
  origins: readonly string[];
  checksPerDay: number;
  checksPerVisitor: number;
  counted: number;
};

/** A deleted key has to stop within a second, reading and answering included. */
const rememberMs = 900;
const rememberedKeys = 10_000;
const dayMs = 86_400_000;

const findKey = statement((db, arg: { id: string; day: number }) =>
  db
    .selectFrom('form_key')
    .innerJoin('account', 'account.id', 'form_key.account_id')
    .leftJoin('form_use', (join) =>
      join.onRef('form_use.key_id', '=', 'form_key.id').on('form_use.day', '=', arg.day),
    )
    .select([
      'form_key.account_id',
      'form_key.origins',
      'form_key.checks_per_day',
      'form_key.checks_per_visitor',
      'form_use.checks',
    ])
    .where('form_key.id', '=', arg.id)
    .where('form_key.deleted_at', 'is', null)
    .where('account.plan', '=', 'paid'),
);

type FindFormKeyParts = { store: Pick<Store, 'read'>; clock: Clock; wallClock: WallClock };

/** `undefined` for a key that is malformed, unknown or deleted, and for one whose account has no plan. */
export function createFindFormKey({ store, clock, wallClock }: FindFormKeyParts) {
  const remembered = createBoundedCache<FoundFormKey>({ clock, maxEntries: rememberedKeys });

  return async (key: string): Promise<FoundFormKey | undefined> => {
    const known = remembered.get(key);
    if (known !== undefined || !isFormKey(key)) return known;
    const until = clock.now() + rememberMs;
    const day = Math.floor(wallClock.now() / dayMs);
    const row = await store.read.first(findKey, { id: key, day });
    if (row === undefined) return undefined;
    const found = {
      key,
      accountId: row.account_id,
      origins: JSON.parse(row.origins) as string[],
      checksPerDay: row.checks_per_day,
      checksPerVisitor: row.checks_per_visitor,
      counted: row.checks ?? 0,
    };
    remembered.set(key, found, until - clock.now());
    return found;
  };
}
