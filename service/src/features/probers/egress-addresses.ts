import type { Predecessor } from '@mailproof/engine';
import { statement, type Reader, type Tx } from '../../core/store/statement.ts';

/**
 * An egress address of the installation and its owner: a process with a lease that it renews, or an outside prober. One
 * conditional statement on its row decides between two processes that want the same address.
 *
 *     free ──▶ owned ──▶ owned (renewed) ──▶ left (with a hand-over) ──▶ owned by another
 *                ├──▶ its process is dead ──▶ owned by another, with the last hand-over
 *                └──▶ the lease ends ─────────▲
 *
 * An owner writes a hand-over for its successor with each renewal. If the owner's process is known to be dead, the
 * successor waits only until the owner's right to begin has ended. An owner that may be alive keeps the address for its
 * whole lease.
 */
export type EgressAddress = {
  name: string;
  /** Id of a process or of a prober; empty if the address was left. */
  owner: string;
  kind: 'inside' | 'outside';
  /** Grows with each new owner. */
  fence: number;
  leaseUntil: number;
  /** Time at which it was left to the next owner; 0 if it was not. */
  leftAt: number;
  /** Whether its owner can ask mail hosts now. */
  well: boolean;
  whyNot: string;
  /** Percentage of addresses that may be asked from it. */
  share: number;
};

/** Time after the lease request within which conversations may begin. */
export const beginMs = 3_750;

/** Largest difference between two processes' estimates of the database's clock. */
const clockSlackMs = 250;

/** A new owner begins this long after its predecessor's last possible conversation (see the engine's pacer). */
const halfMinuteMs = 30_000;

/** A lease that is not renewed ends after this long. */
export const egressLeaseMs = beginMs + clockSlackMs + halfMinuteMs;

const minuteMs = 60_000;

/** Channel of all processes: an address was left, was taken, or can no longer ask. */
export const egressChannel = 'mailproof_egress';

const columns = [
  'name',
  'owner',
  'kind',
  'fence',
  'lease_until',
  'saved_at',
  'well',
  'why_not',
  'share',
] as const;

const findAll = statement((db) => db.selectFrom('egress_address').select(columns).orderBy('name'));

export async function readEgress(reader: Pick<Reader, 'all'>): Promise<EgressAddress[]> {
  const rows = await reader.all(findAll, {});
  return rows.map(({ lease_until: leaseUntil, saved_at: savedAt, well, why_not: whyNot, ...row }) => ({
    ...row,
    leaseUntil,
    leftAt: row.owner === '' ? savedAt : 0,
    well: well === 1,
    whyNot,
  }));
}

/** Time for which probes wait for a new owner after the last one left or died. */
const handOverMs = 10_000;

/** Returns when its owner may last begin a conversation. An outside prober counts as present while its lease lasts. */
export function rightEndsAt({ kind, leaseUntil }: Pick<EgressAddress, 'kind' | 'leaseUntil'>): number {
  return kind === 'outside' ? leaseUntil : leaseUntil - halfMinuteMs;
}

/** Tells whether its owner may begin conversations now. */
export function hasOwner(row: EgressAddress, now: number): boolean {
  return rightEndsAt(row) > now;
}

/** Tells whether it lost its owner so recently that another process may be taking it. */
export function mayFindOwner(row: EgressAddress, now: number): boolean {
  return row.kind === 'inside' && Math.max(rightEndsAt(row), row.leftAt) + handOverMs > now;
}

type Ownership = { owner: string; now: number };

const prolong = statement((db, arg: { owner: string; until: number }) =>
  db.updateTable('egress_address').set({ lease_until: arg.until }).where('owner', '=', arg.owner),
);

/** Renews every address that is still ours, even if the lease has ended meanwhile. */
export async function prolongEgress(tx: Tx, { owner, now }: Ownership): Promise<void> {
  await tx.change(prolong, { owner, until: now + egressLeaseMs });
}

const checkpoint = statement((db, arg: { name: string; owner: string; state: string; now: number }) =>
  db
    .updateTable('egress_address')
    .set({ state: arg.state, saved_at: arg.now })
    .where('name', '=', arg.name)
    .where('owner', '=', arg.owner),
);

/** Writes the hand-over in case this owner dies. Callers renew the lease in the same transaction. */
export async function noteHandOver(
  tx: Tx,
  noted: { name: string; handOver: unknown },
  { owner, now }: Ownership,
): Promise<void> {
  await tx.change(checkpoint, {
    name: noted.name,
    owner,
    state: JSON.stringify(noted.handOver),
    now,
  });
}

const findOne = statement((db, arg: { name: string }) =>
  db
    .selectFrom('egress_address')
    .select(['fence', 'kind', 'owner', 'lease_until', 'state', 'saved_at'])
    .where('name', '=', arg.name),
);

const add = statement((db, arg: { name: string; owner: string; until: number }) =>
  db
    .insertInto('egress_address')
    .values({ name: arg.name, kind: 'inside', fence: 1, ...owned(arg) })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

const take = statement(
  (db, arg: { name: string; owner: string; until: number; now: number; fence: number }) =>
    db
      .updateTable('egress_address')
      .set((eb) => ({ fence: eb('fence', '+', eb.lit(1)), ...owned(arg) }))
      .where('name', '=', arg.name)
      .where('fence', '=', arg.fence)
      .where('lease_until', '<=', arg.now),
);

function owned({ owner, until }: { owner: string; until: number }) {
  return { owner, lease_until: until, state: '', saved_at: 0, well: 1, why_not: '', seen: '{}' };
}

/**
 * Takes an address without an owner and returns its predecessor; `undefined` if it has an owner. If a dead owner left a
 * hand-over, only its right to begin has to end first.
 */
export async function takeEgress(
  tx: Tx,
  name: string,
  { owner, now, isDead }: Ownership & { isDead: (owner: string) => boolean },
): Promise<Predecessor | undefined> {
  const until = now + egressLeaseMs;
  const row = await tx.first(findOne, { name });
  if (row === undefined) {
    return (await tx.change(add, { name, owner, until })) === 1 ? { kind: 'nobody' } : undefined;
  }
  const freeBy = row.state !== '' && isDead(row.owner) ? now + halfMinuteMs : now;
  if (row.kind === 'outside' || row.lease_until > freeBy) return undefined;
  const taken = await tx.change(take, { name, owner, until, now: freeBy, fence: row.fence });
  return taken === 0 ? undefined : predecessorOf(row, now);
}

type LeftRow = { owner: string; lease_until: number; state: string; saved_at: number };

/** No limit counts events that are older than a minute. */
function predecessorOf(row: LeftRow, now: number): Predecessor {
  const handOver = readState(row.state);
  const savedAgoMs = now - row.saved_at;
  if (row.owner === '')
    return savedAgoMs >= minuteMs ? { kind: 'nobody' } : { kind: 'stopped', handOver, agoMs: savedAgoMs };
  const agoMs = now - rightEndsAt({ kind: 'inside', leaseUntil: row.lease_until });
  if (agoMs >= minuteMs) return { kind: 'nobody' };
  return row.state === ''
    ? { kind: 'died', agoMs }
    : { kind: 'died', agoMs, left: { handOver, agoMs: savedAgoMs } };
}

function readState(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const leave = statement(
  (db, arg: { name: string; owner: string; fence: number; state: string; now: number }) =>
    db
      .updateTable('egress_address')
      .set({ owner: '', lease_until: 0, state: arg.state, saved_at: arg.now })
      .where('name', '=', arg.name)
      .where('owner', '=', arg.owner)
      .where('fence', '=', arg.fence)
      .where('lease_until', '>', arg.now),
);

/**
 * Leaves an address to the next owner, with a hand-over. If the lease has ended meanwhile, nothing is written: the next
 * owner then assumes that this one died, which is safe.
 */
export async function leaveEgress(
  tx: Tx,
  left: { name: string; fence: number; handOver: unknown },
  { owner, now }: Ownership,
): Promise<void> {
  const { name, fence, handOver } = left;
  await tx.change(leave, { name, owner, fence, state: JSON.stringify(handOver), now });
}

const note = statement((db, arg: { name: string; owner: string; well: number; whyNot: string }) =>
  db
    .updateTable('egress_address')
    .set({ well: arg.well, why_not: arg.whyNot })
    .where('name', '=', arg.name)
    .where('owner', '=', arg.owner),
);

/** Records why the owner cannot ask from it now; empty if it can. */
export async function noteEgressProblem(
  tx: Tx,
  found: { name: string; whyNot: string },
  { owner }: Pick<Ownership, 'owner'>,
): Promise<void> {
  await tx.change(note, { ...found, well: found.whyNot === '' ? 1 : 0, owner });
}

const noteFigures = statement((db, arg: { name: string; owner: string; seen: string }) =>
  db
    .updateTable('egress_address')
    .set({ seen: arg.seen })
    .where('name', '=', arg.name)
    .where('owner', '=', arg.owner),
);

/** Records figures for the operator: conversations from the address, and resting hosts. */
export async function noteEgressFigures(
  tx: Tx,
  figures: { name: string; conversations: number; resting: number },
  { owner }: Pick<Ownership, 'owner'>,
): Promise<void> {
  const { name, ...seen } = figures;
  await tx.change(noteFigures, { name, owner, seen: JSON.stringify(seen) });
}
