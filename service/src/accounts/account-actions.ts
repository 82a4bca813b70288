import { readAccount, type ReadAccountAnswer } from './read-account.ts';
import { readLedger, type LedgerAnswer, type LedgerRequest } from '../credits/read-ledger.ts';
import { createReadUsage, type ReadUsage } from '../credits/read-usage.ts';
import { withFreshDeadlines } from '../db/with-fresh-deadlines.ts';
import type { Store } from '../db/store.ts';
import type { WallClock } from '../db/wall-clock.ts';
import type { Caller } from '../keys/authenticate.ts';
import { deleteKey } from '../keys/delete-key.ts';
import { issueKey, type IssueKeyAnswer } from '../keys/issue-key.ts';
import { listKeys, type ListedKey } from '../keys/list-keys.ts';
import { renameKey } from '../keys/rename-key.ts';
import { listTasks, type ListTasksRequest } from '../tasks/list-tasks.ts';

/** What the holder of a key may see and do. A caller sees the account of its key alone. */
export type AccountActions = {
  read(caller: Caller): Promise<ReadAccountAnswer>;
  ledger(request: LedgerRequest): Promise<LedgerAnswer>;
  usage: ReadUsage;
  tasks(request: ListTasksRequest): ReturnType<typeof listTasks>;
  /** Those that are not deleted, the newest first. */
  keys(caller: Caller): Promise<ListedKey[]>;
  createKey(
    caller: Caller,
    key: { mode: 'live' | 'test'; name: string | undefined },
  ): Promise<CreateKeyAnswer>;
  renameKey(caller: Caller, key: { keyId: string; name: string }): Promise<RenameKeyAnswer>;
  deleteKey(caller: Caller, keyId: string): Promise<DeleteKeyAnswer>;
};

type CreateKeyAnswer = IssueKeyAnswer | { kind: 'live_key_required' };
type RenameKeyAnswer = { kind: 'renamed'; key: ListedKey } | { kind: 'key_not_found' };
type DeleteKeyAnswer = { kind: 'deleted' } | { kind: 'key_not_found' } | { kind: 'live_key_required' };

type AccountActionsParts = { store: Pick<Store, 'withRequestDeadline'>; wallClock: WallClock };
type Parts = { store: Pick<Store, 'read' | 'write'>; wallClock: WallClock };

export function createAccountActions({ store, wallClock }: AccountActionsParts): AccountActions {
  /** Everything that one request asks for shares one deadline. */
  const inTime = (): Parts => ({ store: store.withRequestDeadline('work'), wallClock });
  return {
    read: (caller) => readAccount(caller, inTime()),
    ledger: (request) => readLedger(request, inTime()),
    // A long ledger is summed slice by slice, however long it takes; no slice may take long.
    usage: createReadUsage({ store: withFreshDeadlines(store, 'work'), wallClock }),
    tasks: (request) => listTasks(request, inTime()),
    keys: (caller) => livingKeys(caller, inTime()),
    createKey: async (caller, key) =>
      mayChange(caller, key.mode)
        ? issueKey({ accountId: caller.accountId, ...key }, changing(caller, inTime()))
        : { kind: 'live_key_required' },
    renameKey: (caller, key) => rename(caller, key, inTime()),
    deleteKey: (caller, keyId) => remove(caller, keyId, inTime()),
  };
}

async function livingKeys({ accountId }: Caller, parts: Parts): Promise<ListedKey[]> {
  const keys = await listKeys(accountId, parts);
  return keys.filter(({ deletedAt }) => deletedAt === null).reverse();
}

async function rename(
  caller: Caller,
  { keyId, name }: { keyId: string; name: string },
  parts: Parts,
): Promise<RenameKeyAnswer> {
  const { accountId } = caller;
  const answer = await renameKey({ accountId, keyId, name }, changing(caller, parts));
  if (answer.kind === 'key_not_found') return answer;
  const key = (await listKeys(accountId, parts)).find((listed) => listed.keyId === keyId);
  if (key === undefined) throw new Error('a key that was renamed is not listed');
  return { kind: 'renamed', key };
}

async function remove(caller: Caller, keyId: string, parts: Parts): Promise<DeleteKeyAnswer> {
  // A key keeps its mode for ever, so what is read here holds when it is deleted.
  const key = (await livingKeys(caller, parts)).find((living) => living.keyId === keyId);
  if (key === undefined) return { kind: 'key_not_found' };
  if (!mayChange(caller, key.mode)) return { kind: 'live_key_required' };
  return deleteKey({ keyId, accountId: caller.accountId }, changing(caller, parts));
}

/** A test key is given to machines that are trusted less: it must not get hold of a live one. */
function mayChange(caller: Caller, mode: 'live' | 'test'): boolean {
  return caller.mode === 'live' || mode === 'test';
}

function changing({ keyId }: Caller, parts: Parts) {
  return { ...parts, actor: `key:${keyId}` as const };
}
