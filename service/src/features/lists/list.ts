import type { DomainSuggestion } from '@mailproof/client';
import { sql, type Kysely, type Selectable } from 'kysely';
import type { Schema } from '../../core/store/schema.ts';
import { statement, type Reader } from '../../core/store/statement.ts';
import type { Layout } from './reading/find-layout.ts';
import type { ReadingPlan } from './reading/read-list.ts';

/**
 * A list: a file with addresses that the service keeps, checks and hands back with the answers.
 *
 *     receiving ──▶ surveyed ──start──▶ running ──last answer──▶ completed
 *                                        │   ▲        ▲
 *                                     pause resume    deadline
 *                                        ▼   │
 *                                       paused
 *     running, paused ──cancel──▶ cancelled
 *     any but receiving ──delete, retention──▶ deleted, then erased in slices
 *
 * A running list hands its addresses to tasks of up to 100, mail domain by mail domain, a few tasks ahead of the workers
 * (`plan-tasks.ts`). A task that ends gives its answers to the rows and the addresses that were deferred back to the
 * list (`settle-list-task.ts`), so none of them holds a worker's place while it waits. One hold pays for the whole run and
 * is settled once, at its end (`end-list.ts`).
 */
export type List = {
  id: string;
  accountId: string;
  mode: 'live' | 'test';
  name: string;
  state: ListState;
  file: { bytes: number; isValidUtf8: boolean };
  plan: ReadingPlan | undefined;
  split: boolean;
  suggestions: DomainSuggestion[];
  /** How long the run should take under the limits of egress addresses; null where that was not estimated. */
  expectedSeconds: number | null;
  counts: {
    rows: number;
    addresses: number;
    duplicates: number;
    blank: number;
    rejected: number;
    repaired: number;
  };
  run: ListRun;
  holdId: string | null;
  createdAt: number;
  /** The name of the key that uploaded it. */
  createdBy: string | null;
  startedAt: number | null;
  endedAt: number | null;
  deadlineAt: number | null;
  expiresAt: number;
};

export type ListState = Schema['list']['state'];

export type ListRun = {
  wanted: number;
  planned: number;
  checked: number;
  conclusive: number;
  waiting: number;
  lastRow: number;
  cursor: { host: string; row: number };
  nextDue: number | null;
  /** Of a paused list: addresses begun before the pause that are not counted yet. Once none is, nothing changes. */
  finishing: number;
};

/** The row of a list, and what the key that uploaded it is called; deleted keys keep their names. */
export function selectLists(db: Kysely<Schema>) {
  return db
    .selectFrom('list')
    .leftJoin('api_key', 'api_key.id', 'list.key_id')
    .selectAll('list')
    .select('api_key.name as key_name')
    .select((eb) =>
      eb
        .case()
        .when('list.state', '=', sql.lit('paused'))
        .then(countBegun(db))
        .else(eb.lit(0))
        .end()
        .$castTo<number>()
        .as('finishing'),
    );
}

/** Addresses of its tasks under way that were begun and are not counted in the list yet. */
function countBegun(db: Kysely<Schema>) {
  return db
    .selectFrom('task')
    .innerJoin('item', 'item.task_id', 'task.id')
    .select((count) => count.fn.countAll<number>().as('addresses'))
    .where('task.list_id', '=', sql.ref<string>('list.id'))
    .where('task.lease_until', '>', sql.lit(0))
    .where((item) =>
      item.or([item('item.state', '=', sql.lit('done')), item('item.attempts', '>', sql.lit(0))]),
    );
}

/** Whose a list is: an account's, and in it the live keys' or the test keys'. */
export type ListOwner = { accountId: string; mode: List['mode'] };

const find = statement((db, arg: { account: string; mode: List['mode']; list: string }) =>
  selectLists(db)
    .where('list.id', '=', arg.list)
    .where('list.account_id', '=', arg.account)
    .where('list.mode', '=', arg.mode),
);

/** Finds nothing if the list is being received, was deleted, is of the other mode, or is somebody else's. */
export async function findList(
  reader: Reader,
  { accountId, mode, listId }: ListOwner & { listId: string },
): Promise<List | undefined> {
  const row = await reader.first(find, { account: accountId, mode, list: listId });
  if (row === undefined || row.state === 'receiving' || row.state === 'deleted') return undefined;
  return toList(row);
}

type ListTableRow = Selectable<Schema['list']> & { key_name: string | null; finishing: number };

export function toList(row: ListTableRow): List {
  return {
    id: row.id,
    accountId: row.account_id,
    mode: row.mode,
    name: row.name,
    state: row.state,
    file: { bytes: row.file_bytes, isValidUtf8: row.valid_utf8 === 1 },
    plan: row.plan === null ? undefined : (JSON.parse(row.plan) as ReadingPlan),
    split: row.split === 1,
    suggestions: row.suggestions === null ? [] : (JSON.parse(row.suggestions) as DomainSuggestion[]),
    expectedSeconds: row.expected_seconds,
    counts: {
      rows: row.rows,
      addresses: row.addresses,
      duplicates: row.duplicates,
      blank: row.blank,
      rejected: row.rejected,
      repaired: row.repaired,
    },
    run: {
      wanted: row.wanted,
      planned: row.planned,
      checked: row.checked,
      conclusive: row.conclusive,
      waiting: row.waiting,
      lastRow: row.last_row,
      cursor: { host: row.cursor_host, row: row.cursor_row },
      nextDue: row.next_due,
      finishing: row.finishing,
    },
    holdId: row.hold_id,
    createdAt: row.created_at,
    createdBy: row.key_name,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    deadlineAt: row.deadline_at,
    expiresAt: row.expires_at,
  };
}

export function layoutOf({ plan }: Pick<List, 'plan'>): Layout {
  if (plan === undefined) throw new Error('a list that is not surveyed has no layout');
  return plan.layout;
}
