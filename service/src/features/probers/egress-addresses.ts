import type { Predecessor } from '@mailproof/engine';
import { statement, type Reader, type Tx } from '../../core/store/statement.ts';

/**
 * The egress addresses of the installation and who owns each: a process by a lease that it prolongs again and again, or
 * a prober outside. What decides between two that want the same address is one conditional statement on its row.
 *
 *     nobody's ──▶ owned ──▶ owned (prolonged) ──▶ left (with what the next should know) ──▶ owned by another
 *                    ├──▶ its process is dead ──▶ owned by another, which knows what was written down last
 *                    └──▶ the lease ends ─────────▲
 *
 * An owner writes down what the next should know whenever it prolongs its lease. If its process is known to be dead, the
 * next one waits only until its right to begin has ended; an owner that may live keeps the address for its whole lease.
 */
export type EgressAddress = {
  name: string;
  /** The id of a process or of a prober; empty where it was left. */
  owner: string;
  kind: 'inside' | 'outside';
  /** Grows with each new owner. */
  fence: number;
  leaseUntil: number;
  /** When it was left to the next; 0 where it was not. */
  leftAt: number;
  /** Whether it can ask now. */
  well: boolean;
  whyNot: string;
  /** How many of a hundred addresses may be asked from it. */
  share: number;
};

/** How long after it was asked for a lease lets conversations begin. */
export const beginMs = 3_750;

/** How far the clocks of two processes may differ, each as it knows the database's. */
const clockSlackMs = 250;

/** A new owner begins so long after its predecessor can last have begun a conversation (see the engine's pacer). */
const halfMinuteMs = 30_000;

/** A lease that is not prolonged is free after this long. */
export const egressLeaseMs = beginMs + clockSlackMs + halfMinuteMs;

const minuteMs = 60_000;

/** What all processes listen to: an address was left, taken, or cannot ask any more. */
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

/** How long an address that was left, or whose owner died, is taken to be on its way to the next; probes wait for it. */
const handOverMs = 10_000;

/** When its owner may last begin a conversation. A prober outside is heard of for as long as its lease lasts. */
export function rightEndsAt({ kind, leaseUntil }: Pick<EgressAddress, 'kind' | 'leaseUntil'>): number {
  return kind === 'outside' ? leaseUntil : leaseUntil - halfMinuteMs;
}

/** Whether its owner may begin conversations now. */
export function hasOwner(row: EgressAddress, now: number): boolean {
  return rightEndsAt(row) > now;
}

/** Whether it lost its owner so lately that another process may be taking it at this moment. */
export function mayFindOwner(row: EgressAddress, now: number): boolean {
  return row.kind === 'inside' && Math.max(rightEndsAt(row), row.leftAt) + handOverMs > now;
}

type Ownership = { owner: string; now: number };

const prolong = statement((db, arg: { owner: string; until: number }) =>
  db.updateTable('egress_address').set({ lease_until: arg.until }).where('owner', '=', arg.owner),
);

/** Prolongs every address that is still ours, even where the lease has ended meanwhile. */
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

/** Writes down what the next owner should know in case this one dies. To be called with a prolongation. */
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
 * Takes an address that nobody owns (any more), and tells who did; `undefined` where somebody does. Of a dead owner that
 * wrote down what it counted, only the right to begin has to end first.
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

/** What happened more than a minute ago no limit counts any more. */
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
 * Leaves an address to the next, with what it should know. Where the lease has ended meanwhile nothing is left: whoever
 * comes next takes us for dead, which is the safe side.
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

/** Why the owner cannot ask from it now; empty where it can. */
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

/** What the operator is shown of an address: conversations from it, and hosts that are left alone. */
export async function noteEgressFigures(
  tx: Tx,
  figures: { name: string; conversations: number; resting: number },
  { owner }: Pick<Ownership, 'owner'>,
): Promise<void> {
  const { name, ...seen } = figures;
  await tx.change(noteFigures, { name, owner, seen: JSON.stringify(seen) });
}
