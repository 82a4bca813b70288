import { readAccount, type ReadAccountAnswer } from '../../core/keys/accounts/read-account.ts';
import { readLedger, type LedgerAnswer, type LedgerRequest } from '../../core/ledger/read-ledger.ts';
import {
  createUsageReader,
  unusedDays,
  type UsageDay,
  type UsageReader,
} from '../../core/ledger/read-usage.ts';
import { withFreshDeadlines } from '../../core/store/with-fresh-deadlines.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { actorOf, type Caller } from '../../core/keys/authenticate.ts';
import { changeKey, type ChangeKeyAnswer as ChangedAnswer } from '../../core/keys/change-key.ts';
import { deleteKeyAs } from '../../core/keys/delete-key.ts';
import { issueKey, type IssueKeyAnswer } from '../../core/keys/issue-key.ts';
import { noLimits } from '../../core/keys/key-limits.ts';
import { listLivingKeys, type LivingKey } from '../../core/keys/list-keys.ts';
import type { LimitsWish } from '../../core/keys/read-key-limits.ts';
import { listTasks, type ListTasksRequest } from '../../core/verify/tasks/list-tasks.ts';

/**
 * What the holder of a key may see and do. A caller sees the account of its key alone, and of its records those of the
 * key's mode. Credits move in live mode only, so a test key finds neither entries nor usage. Keys are the exception: a
 * live key manages those of both modes.
 */
export type AccountActions = {
  read(caller: Caller): Promise<ReadAccountAnswer>;
  ledger(caller: Caller, page: Omit<LedgerRequest, 'accountId'>): Promise<LedgerAnswer>;
  usage(caller: Caller, days: number): Promise<UsageDay[]>;
  tasks(caller: Caller, page: Omit<ListTasksRequest, 'accountId' | 'mode'>): ReturnType<typeof listTasks>;
  /** Those that are not deleted, the newest first. */
  keys(caller: Caller): Promise<LivingKey[]>;
  createKey(
    caller: Caller,
    key: { mode: 'live' | 'test'; name: string | undefined; limits: LimitsWish },
  ): Promise<IssueKeyAnswer>;
  changeKey(
    caller: Caller,
    key: { keyId: string; name: string | undefined; limits: LimitsWish },
  ): Promise<ChangeKeyAnswer>;
  deleteKey(caller: Caller, keyId: string): Promise<DeleteKeyAnswer>;
};

/** Its routes need it. */
export type AccountHttp = { account: AccountActions };

type ChangeKeyAnswer = Exclude<ChangedAnswer, { kind: 'changed' }> | { kind: 'changed'; key: LivingKey };
type DeleteKeyAnswer = { kind: 'deleted' | 'key_not_found' | 'live_key_required' | 'insufficient_scope' };

type AccountActionsParts = { store: Pick<Store, 'withRequestDeadline'>; wallClock: WallClock };
type Parts = {
  store: Pick<Store, 'read' | 'write'>;
  wallClock: WallClock;
  usageByKey: UsageReader['byKey'];
};

export function createAccountActions({ store, wallClock }: AccountActionsParts): AccountActions {
  // A long ledger is summed slice by slice, however long it takes; no slice may take long.
  const usage = createUsageReader({ store: withFreshDeadlines(store, 'work'), wallClock });
  /** Everything that one request asks for shares one deadline. */
  const inTime = (): Parts => ({
    store: store.withRequestDeadline('work'),
    wallClock,
    usageByKey: usage.byKey,
  });
  return {
    read: (caller) => readAccount(caller, inTime()),
    ledger: async ({ accountId, mode }, page) =>
      mode === 'live' ? readLedger({ accountId, ...page }, inTime()) : noEntries(page),
    usage: async ({ accountId, mode }, days) =>
      mode === 'live' ? usage.byDay({ accountId, days }) : unusedDays(days, wallClock.now()),
    tasks: ({ accountId, mode }, page) => listTasks({ accountId, mode, ...page }, inTime()),
    keys: async ({ accountId, mode }) =>
      (await listLivingKeys(accountId, inTime())).filter((key) => mode === 'live' || key.mode === 'test'),
    createKey: async (caller, key) =>
      issueKey({ accountId: caller.accountId, ...key, maker: powersOf(caller) }, changing(caller, inTime())),
    changeKey: (caller, key) => change(caller, key, inTime()),
    deleteKey: (caller, keyId) =>
      deleteKeyAs(powersOf(caller), { keyId, accountId: caller.accountId }, changing(caller, inTime())),
  };
}

/** Any place in an empty ledger was made up. */
function noEntries({ from }: Pick<LedgerRequest, 'from'>): LedgerAnswer {
  return from === undefined ? { kind: 'page', entries: [], next: undefined } : { kind: 'no_such_place' };
}

async function change(
  caller: Caller,
  key: { keyId: string; name: string | undefined; limits: LimitsWish },
  parts: Parts,
): Promise<ChangeKeyAnswer> {
  const { accountId } = caller;
  const answer = await changeKey({ accountId, ...key, changer: powersOf(caller) }, changing(caller, parts));
  if (answer.kind !== 'changed') return answer;
  const changed = (await listLivingKeys(accountId, parts)).find((living) => living.keyId === key.keyId);
  // It may have been deleted since.
  return changed === undefined ? { kind: 'key_not_found' } : { kind: 'changed', key: changed };
}

function powersOf({ mode, limits = noLimits }: Caller) {
  return { mode, limits };
}

function changing(caller: Caller, parts: Parts) {
  return { ...parts, actor: actorOf(caller) };
}
