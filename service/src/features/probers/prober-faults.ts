import { sql } from 'kysely';
import { statement, type Tx } from '../../core/store/statement.ts';
import { endSilentProbers, freeProbesOf, judgeEgress } from './outside-egress.ts';

/**
 * Probers outside that sleep or talk rubbish. A fault is a probe that a prober held and did not answer in time, or
 * answered with what cannot be read. Evidence that can be read forgives all before it.
 *
 *     well ──five faults in a row──▶ aside ──five minutes──▶ well, or not checked yet ──one more fault──▶ aside
 *
 * What a prober that is put aside still holds goes to others. Where control mailboxes are named, one has to come out right
 * before anything else is asked through it again.
 */
const faultsAllowed = 5;
const asideMs = 300_000;

/** Said to operators; see docs/probers.md. */
type AsideReason = 'leases_lapsed' | 'reports_unreadable';

const asideReasons: readonly AsideReason[] = ['leases_lapsed', 'reports_unreadable'];

const addFaults = statement((db, arg: { id: string; faults: number }) =>
  db
    .updateTable('prober')
    .set((eb) => ({ faults: eb('faults', '+', arg.faults) }))
    .where('id', '=', arg.id)
    .returning(['faults', 'why_not']),
);

/** One fault is enough to put it aside again. */
const setAside = statement((db, arg: { id: string; whyNot: string; faults: number; now: number }) =>
  db
    .updateTable('prober')
    .set({ why_not: arg.whyNot, aside_at: arg.now, faults: arg.faults, controls_right: 0 })
    .where('id', '=', arg.id),
);

type ProberFaults = { proberId: string; faults: number; whyNot: AsideReason; now: number };

/** Tells whether the prober is put aside now. */
export async function noteFaults(
  tx: Tx,
  { proberId: id, faults, whyNot, now }: ProberFaults,
): Promise<boolean> {
  const row = await tx.first(addFaults, { id, faults });
  if (row === undefined || row.faults < faultsAllowed || row.why_not !== null) return false;
  await tx.change(setAside, { id, whyNot, faults: faultsAllowed - 1, now });
  await judgeEgress(tx, { owner: id, whyNot });
  await freeProbesOf(tx, id);
  return true;
}

const forgive = statement((db, arg: { id: string }) =>
  db.updateTable('prober').set({ faults: 0 }).where('id', '=', arg.id),
);

export async function forgiveFaults(tx: Tx, proberId: string): Promise<void> {
  await tx.change(forgive, { id: proberId });
}

const leased = sql.lit('leased' as const);
/** Holders outside have the instance behind a colon; processes of the installation have none. */
const outside = sql.lit('%:%');

const findLapsed = statement((db, arg: { now: number }) =>
  db
    .selectFrom('probe')
    .select('holder')
    .select(({ fn }) => fn.countAll().as('lapsed'))
    .where('state', '=', leased)
    .where('holder', 'like', outside)
    .where('lease_until', '<=', arg.now)
    .groupBy('holder'),
);

const freeLapsed = statement((db, arg: { holder: string; now: number }) =>
  db
    .updateTable('probe')
    .set({ state: 'waiting', holder: '', lease: '', lease_until: 0 })
    .where('state', '=', leased)
    .where('holder', '=', arg.holder)
    .where('lease_until', '<=', arg.now),
);

/** Frees what probers outside let lapse, each time a fault. Tells how many probers were put aside for it. */
async function endLapsedLeases(tx: Tx, now: number): Promise<number> {
  let aside = 0;
  for (const { holder, lapsed } of await tx.all(findLapsed, { now })) {
    await tx.change(freeLapsed, { holder, now });
    const fault = {
      proberId: proberIn(holder),
      faults: Number(lapsed),
      whyNot: 'leases_lapsed',
      now,
    } as const;
    if (await noteFaults(tx, fault)) aside += 1;
  }
  return aside;
}

function proberIn(holder: string): string {
  return holder.slice(0, holder.indexOf(':'));
}

const eraseOne = statement((db, arg: { id: string }) =>
  db.deleteFrom('probe').where('id', '=', arg.id).returning(['state', 'holder']),
);

/** Erases a probe that nobody waits for any more; a fault of the prober that still held it. Tells whether it is put aside. */
export async function eraseUnanswered(tx: Tx, id: string, now: number): Promise<boolean> {
  const row = await tx.first(eraseOne, { id });
  if (row?.state !== 'leased' || !row.holder.includes(':')) return false;
  return noteFaults(tx, { proberId: proberIn(row.holder), faults: 1, whyNot: 'leases_lapsed', now });
}

const takeBack = statement((db, arg: { before: number }) =>
  db
    .updateTable('prober')
    .set({ why_not: null })
    .where(
      'why_not',
      'in',
      asideReasons.map((reason) => sql.lit(reason)),
    )
    .where('aside_at', '<=', arg.before),
);

/** Gives probers that were put aside another try. Whether they are well is announced with their next lease. */
async function endAside(tx: Tx, now: number): Promise<void> {
  await tx.change(takeBack, { before: now - asideMs });
}

/** Looks after probers outside: those that fell silent, leases that lapsed, and the end of a time aside. */
export async function tendProbers(tx: Tx, now: number): Promise<number> {
  const silent = await endSilentProbers(tx, now);
  const aside = await endLapsedLeases(tx, now);
  await endAside(tx, now);
  return silent + aside;
}
