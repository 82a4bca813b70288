import type { ProcessRole } from '../../core/store/process-registry.ts';
import { statement, type Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';

/**
 * Which processes of the installation may ask mail hosts. The operator decides it by the roles, and nothing that dies or
 * is silent for a while changes it: a machine whose port 25 is closed must not begin to dial.
 *
 *     all, prober    may ask, always
 *     api, worker    may ask if the installation never had a prober, and no process of the role `all` lives
 *
 * An installation has a prober from the moment in which a process of that role starts or a prober outside enrols, and for
 * good. To ask from inside again after that, start a process with `--role prober` or `--role all`.
 */
export const probingRoles: ReadonlySet<ProcessRole> = new Set<ProcessRole>(['all', 'prober']);

type Asking = {
  role: ProcessRole;
  living: readonly { role: ProcessRole }[];
  hadProber: () => Promise<boolean>;
};

export async function mayAskMailHosts({ role, living, hadProber }: Asking): Promise<boolean> {
  if (probingRoles.has(role)) return true;
  return !living.some((one) => probingRoles.has(one.role)) && !(await hadProber());
}

const findHistory = statement((db) => db.selectFrom('prober_history').select('kind').limit(1));

/** A prober that enrolled at a process of an older version left no mark of its own. */
const findEnrolled = statement((db) =>
  db.selectFrom('prober').select('id').where('secret_hash', 'is not', null).limit(1),
);

/** Tells whether the installation ever had a prober, and remembers that it had. */
export function createProberHistory({ store }: { store: Pick<Store, 'read'> }): () => Promise<boolean> {
  let isKnown = false;
  return async () => {
    isKnown ||= (await store.read.first(findHistory, {})) !== undefined;
    isKnown ||= (await store.read.first(findEnrolled, {})) !== undefined;
    return isKnown;
  };
}

const addHistory = statement((db, arg: { kind: 'inside' | 'outside'; now: number }) =>
  db
    .insertInto('prober_history')
    .values({ kind: arg.kind, first_at: arg.now })
    .onConflict((conflict) => conflict.column('kind').doNothing()),
);

/** Marks the installation as one whose mail hosts are asked by probers. */
export async function noteProberKind(tx: Tx, kind: 'inside' | 'outside', now: number): Promise<void> {
  await tx.change(addHistory, { kind, now });
}

type StartingParts = { store: Pick<Store, 'write'>; wallClock: WallClock; role: ProcessRole };

/** A process that is started as a prober makes the installation one that has probers. */
export async function noteRole({ store, wallClock, role }: StartingParts): Promise<void> {
  if (role === 'prober') await store.write((tx) => noteProberKind(tx, 'inside', wallClock.now()));
}
