import { sql } from 'kysely';
import { multiRowInsert } from '../../core/store/multi-row-insert.ts';
import { statement, type BatchWork, type SqlValue, type Tx } from '../../core/store/statement.ts';

/**
 * The rows of `probe`.
 *
 *     waiting ──lease──▶ leased ──report──▶ answered ──taken by the asker──▶ gone
 *        ▲                  │
 *        └── lease over, or another owner of the egress address ──┘          gone at the deadline, whatever the state
 *
 * Each step is one conditional statement: a report counts where the row still has its lease and fence, and once.
 *
 * If its asker withdraws a probe that somebody holds, the row is marked: the holder hears of it with its next report,
 * and nobody leases it again. The mark stands in the place of the evidence, which comes over it.
 */
type NewProbe = {
  id: string;
  asker: string;
  egress: string;
  urgency: number;
  tag: string;
  question: string;
  asked_at: number;
  deadline_at: number;
};

const insertRows = multiRowInsert('probe', {
  columns: ['id', 'asker', 'egress', 'urgency', 'tag', 'question', 'asked_at', 'deadline_at'],
});

/** Probes that are asked at the same time are written together. */
export const insertProbes: BatchWork<NewProbe, undefined> = {
  most: 256,
  run: (tx, rows) => {
    insertRows(tx, rows);
    return rows.map(() => undefined);
  },
};

const answered = sql.lit('answered' as const);
const leased = sql.lit('leased' as const);

const withdrawnMark = sql.lit('"withdrawn"');

/** Names in one statement; the rest of it is filled with the empty name, which nothing has. */
const namesAtOnce = 32;

type LeaseRequest = {
  holder: string;
  lease: string;
  egress: readonly string[];
  places: number;
  now: number;
  until: number;
};

export type LeasedRow = {
  id: string;
  fence: number;
  urgency: number;
  tag: string;
  egress: string;
  question: string;
  deadline_at: number;
};

const [holderAt, leaseAt, placesAt, nowAt, untilAt, namesFrom] = [0, 1, 2, 3, 4, 5] as const;

/**
 * Singles first, accounts in turn. What another holder has of these egress addresses it has lost together with them, so
 * its leases need not end first.
 */
const leaseRows = statement((db, arg: SqlValue[]) => {
  const now = sql<number>`${arg[nowAt]}`;
  const isFree = sql<boolean>`(lease_until <= ${now} or holder <> ${arg[holderAt]})`;
  const names = Array.from({ length: namesAtOnce }, (_, place) => sql<string>`${arg[namesFrom + place]}`);
  const waiting = db
    .selectFrom('probe')
    .select(['id', 'urgency'])
    .select(sql<number>`row_number() over (partition by urgency, tag order by id)`.as('place'))
    .where('state', '<>', answered)
    .where('evidence', 'is', null)
    .where('egress', 'in', names)
    .where('deadline_at', '>', now)
    .where(isFree);
  return db
    .updateTable('probe')
    .set((eb) => ({
      state: leased,
      holder: sql<string>`${arg[holderAt]}`,
      lease: sql<string>`${arg[leaseAt]}`,
      fence: eb('fence', '+', eb.lit(1)),
      lease_until: sql<number>`${arg[untilAt]}`,
    }))
    .where('id', 'in', (eb) =>
      eb
        .selectFrom(waiting.as('waiting'))
        .select('waiting.id')
        .orderBy('waiting.urgency')
        .orderBy('waiting.place')
        .orderBy('waiting.id')
        .limit(sql<number>`${arg[placesAt]}`),
    )
    .where('state', '<>', answered)
    .where('evidence', 'is', null)
    .where(isFree)
    .returning(['id', 'fence', 'urgency', 'tag', 'egress', 'question', 'deadline_at']);
});

export async function leaseProbes(tx: Tx, request: LeaseRequest): Promise<LeasedRow[]> {
  const { holder, lease, egress, places, now, until } = request;
  const rows: LeasedRow[] = [];
  for (let from = 0; from < egress.length && rows.length < places; from += namesAtOnce) {
    const names = Array.from({ length: namesAtOnce }, (_, place) => egress[from + place] ?? '');
    rows.push(...(await tx.all(leaseRows, [holder, lease, places - rows.length, now, until, ...names])));
  }
  return rows.sort((a, b) => a.urgency - b.urgency || (a.id < b.id ? -1 : 1));
}

/** The egress addresses at which something waits, or is held by a lease that is over. */
const findAsked = statement((db, arg: { now: number }) =>
  db
    .selectFrom('probe')
    .select('egress')
    .distinct()
    .where('state', '<>', answered)
    .where('evidence', 'is', null)
    .where('lease_until', '<=', arg.now)
    .where('deadline_at', '>', arg.now),
);

type Answer = { id: string; holder: string; lease: string; fence: number; evidence: string | null };

const writeAnswer = statement((db, arg: Answer) =>
  db
    .updateTable('probe')
    .set({ state: 'answered', evidence: arg.evidence, lease_until: 0 })
    .where('id', '=', arg.id)
    .where('state', '=', leased)
    .where('holder', '=', arg.holder)
    .where('lease', '=', arg.lease)
    .where('fence', '=', arg.fence),
);

/** Tells of each whether it counted. In one order everywhere, so that nobody waits for each other's rows. */
export async function answerProbes(tx: Tx, answers: readonly Answer[]): Promise<Answer[]> {
  const sorted = answers.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const changes = await Promise.all(sorted.map((answer) => tx.change(writeAnswer, answer)));
  return sorted.filter((_, place) => changes[place] === 1);
}

const extendLease = statement((db, arg: { holder: string; lease: string; until: number }) =>
  db
    .updateTable('probe')
    .set({ lease_until: arg.until })
    .where('state', '=', leased)
    .where('lease', '=', arg.lease)
    .where('holder', '=', arg.holder),
);

const findLeases = statement((db, arg: { holder: string }) =>
  db
    .selectFrom('probe')
    .select('lease')
    .distinct()
    .where('state', '=', leased)
    .where('holder', '=', arg.holder),
);

type Renewal = { holder: string; leases: readonly string[]; until: number };

/** The leases in which nothing is left. */
export async function renewProbeLeases(tx: Tx, { holder, leases, until }: Renewal): Promise<string[]> {
  const sorted = leases.toSorted();
  const changes = await Promise.all(sorted.map((lease) => tx.change(extendLease, { holder, lease, until })));
  return sorted.filter((_, place) => changes[place] === 0);
}

const findAnswered = statement((db, arg: { asker: string; limit: number }) =>
  db
    .selectFrom('probe')
    .select(['id', 'egress', 'evidence'])
    .where('state', '=', answered)
    .where('asker', '=', arg.asker)
    .limit(arg.limit),
);

const erase = statement((db, arg: { id: string }) => db.deleteFrom('probe').where('id', '=', arg.id));

export async function eraseProbes(tx: Tx, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.toSorted().map((id) => tx.change(erase, { id })));
}

type Withdrawal = {
  asker: string;
  egress: string;
  now: number;
  /** The process that owns the egress address; empty if none does, or if its owner is a prober outside. */
  owner: string;
};

/**
 * Deletes this process's unleased probes for one egress address. A lease of a process that does not own the address any
 * more is as good as none. Probes of an outside prober are freed when it is found silent.
 */
const withdrawRows = statement((db, arg: Withdrawal) =>
  db
    .deleteFrom('probe')
    .where('asker', '=', arg.asker)
    .where('egress', '=', arg.egress)
    .where('state', '<>', answered)
    .where((eb) =>
      eb.or([
        eb('lease_until', '<=', arg.now),
        eb.and([eb('holder', '<>', arg.owner), eb('holder', 'not like', sql.lit('%:%'))]),
      ]),
    )
    .returning('id'),
);

/** Deletes one probe of this process, unless somebody has it. */
const withdrawRow = statement((db, arg: { id: string; now: number }) =>
  db
    .deleteFrom('probe')
    .where('id', '=', arg.id)
    .where('state', '<>', answered)
    .where('lease_until', '<=', arg.now)
    .returning('id'),
);

/** Marks one probe of this process that somebody has: no conversation is to be begun for it. */
const markWithdrawn = statement((db, arg: { id: string }) =>
  db
    .updateTable('probe')
    .set({ evidence: withdrawnMark })
    .where('id', '=', arg.id)
    .where('state', '<>', answered),
);

/** Deletes withdrawn probes of this process that nobody has any more. */
const withdrawFreed = statement((db, arg: { asker: string; now: number }) =>
  db
    .deleteFrom('probe')
    .where('asker', '=', arg.asker)
    .where('state', '<>', answered)
    .where('evidence', 'is not', null)
    .where('lease_until', '<=', arg.now)
    .returning('id'),
);

/** Probes that their holder should give back, unless it has begun a conversation for them. */
const findWithdrawn = statement((db, arg: { holder: string; limit: number }) =>
  db
    .selectFrom('probe')
    .select('id')
    .where('state', '=', leased)
    .where('holder', '=', arg.holder)
    .where('evidence', 'is not', null)
    .limit(arg.limit),
);

const eraseRows = statement((db, arg: { before: number; limit: number }) =>
  db
    .deleteFrom('probe')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('probe')
        .select('id')
        .where('deadline_at', '<=', arg.before)
        .orderBy('deadline_at')
        .limit(arg.limit),
    ),
);

/** Askers erase their own probes; those of an asker that died go here. */
const keptAfterDeadlineMs = 10_000;
const erasedAtOnce = 500;

export async function eraseOverdueProbes(tx: Tx, now: number): Promise<number> {
  return tx.change(eraseRows, { before: now - keptAfterDeadlineMs, limit: erasedAtOnce });
}

export const probeStatements = {
  findAsked,
  findLeases,
  findAnswered,
  findWithdrawn,
  markWithdrawn,
  withdrawFreed,
  withdrawRow,
  withdrawRows,
};
