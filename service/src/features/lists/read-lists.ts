import { statement, type Reader } from '../../core/store/statement.ts';
import { selectLists, toList, type List, type ListOwner } from './list.ts';

/** The lists of an account in one mode, the newest first. */
export type ListPlace = { createdAt: number; listId: string };

type Page = { account: string; mode: List['mode']; at: number; list: string; limit: number };

const findPage = statement((db, arg: Page) =>
  selectLists(db)
    .where('list.account_id', '=', arg.account)
    .where('list.mode', '=', arg.mode)
    .where('list.state', 'not in', ['receiving', 'deleted'])
    .where((eb) => eb(eb.refTuple('list.created_at', 'list.id'), '<', eb.tuple(arg.at, arg.list)))
    .orderBy('list.created_at', 'desc')
    .orderBy('list.id', 'desc')
    .limit(arg.limit),
);

export async function readLists(
  reader: Reader,
  { accountId, mode, limit, after }: ListOwner & { limit: number; after: ListPlace | undefined },
): Promise<{ lists: List[]; next: ListPlace | undefined }> {
  const { createdAt: at, listId: list } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, listId: '' };
  // One more than is shown, to know whether there is a next page.
  const rows = await reader.all(findPage, { account: accountId, mode, at, list, limit: limit + 1 });
  const lists = rows.slice(0, limit).map(toList);
  const last = lists.at(-1);
  const next =
    rows.length > limit && last !== undefined ? { createdAt: last.createdAt, listId: last.id } : undefined;
  return { lists, next };
}

const findCounts = statement((db, arg: { list: string }) =>
  db.selectFrom('list_count').select(['status', 'provider', 'addresses']).where('list_id', '=', arg.list),
);

export type ListProgress = {
  byStatus: Record<string, number>;
  byProvider: Record<string, number>;
  /** How the addresses of each provider came out. */
  byProviderAndStatus: Record<string, Record<string, number>>;
  /** When the run should end at the speed so far; null where nothing is known. */
  expectedEnd: number | null;
};

/** Of a list that was not started. */
export const noProgress: ListProgress = {
  byStatus: {},
  byProvider: {},
  byProviderAndStatus: {},
  expectedEnd: null,
};

export async function readProgress(reader: Reader, list: List, now: number): Promise<ListProgress> {
  const byStatus: Record<string, number> = {};
  const byProvider: Record<string, number> = {};
  const byProviderAndStatus: ListProgress['byProviderAndStatus'] = {};
  for (const { status, provider, addresses } of await reader.all(findCounts, { list: list.id })) {
    byStatus[status] = (byStatus[status] ?? 0) + addresses;
    byProvider[provider] = (byProvider[provider] ?? 0) + addresses;
    (byProviderAndStatus[provider] ??= {})[status] = addresses;
  }
  const { wanted, checked } = list.run;
  // What had no answer when the deadline came is `unknown`.
  if (list.state === 'completed' && wanted > checked)
    byStatus['unknown'] = (byStatus['unknown'] ?? 0) + wanted - checked;
  return { byStatus, byProvider, byProviderAndStatus, expectedEnd: expectedEnd(list, now) };
}

function expectedEnd({ state, startedAt, deadlineAt, run }: List, now: number): number | null {
  if (state !== 'running' || startedAt === null || run.checked === 0 || now <= startedAt) return null;
  const leftNow = run.wanted - run.checked - run.waiting;
  const atThisSpeed = now + (leftNow * (now - startedAt)) / run.checked;
  return Math.round(Math.min(deadlineAt ?? Infinity, Math.max(atThisSpeed, run.nextDue ?? 0)));
}
