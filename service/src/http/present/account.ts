import type { Account, AccountKey, AccountTask, CreatedKey, LedgerEntry } from '@mailproof/client';
import type { ReadAccountAnswer } from '../../accounts/read-account.ts';
import type { LedgerEntry as Entry } from '../../credits/read-ledger.ts';
import type { Caller } from '../../keys/authenticate.ts';
import type { IssuedKey } from '../../keys/issue-key.ts';
import type { ListedKey } from '../../keys/list-keys.ts';
import type { ListedTask } from '../../tasks/list-tasks.ts';
import { progressOf } from './task.ts';

/** What the pages of an account show, in the words and forms of the contract. */
export function presentAccount({ accountId, name, plan, credits, frozen, key }: ReadAccountAnswer): Account {
  const { keyId, ...rest } = key;
  return { account_id: accountId, name, plan, credits, frozen, key: { key_id: keyId, ...rest } };
}

export function presentEntry({ at, taskId, requestId, ...figures }: Entry): LedgerEntry {
  return {
    ...figures,
    at: isoTime(at),
    ...(taskId === undefined ? {} : { task_id: taskId }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
}

export function presentListedTask(task: ListedTask): AccountTask {
  return {
    task_id: task.taskId,
    name: task.name,
    status: task.status,
    mode: task.mode,
    count_total: task.total,
    count_checked: task.checked,
    progress_percentage: progressOf(task),
    created_at: isoTime(task.createdAt),
    completed_at: task.completedAt === null ? null : isoTime(task.completedAt),
    expires_at: task.expiresAt === null ? null : isoTime(task.expiresAt),
    key_id: task.keyId,
    credits_used: task.creditsUsed,
  };
}

export function presentKey(
  { keyId, name, mode, last4, createdAt }: ListedKey,
  caller: Pick<Caller, 'keyId'>,
): AccountKey {
  const created_at = isoTime(createdAt);
  return { key_id: keyId, name, mode, last4, created_at, current: keyId === caller.keyId };
}

export function presentCreatedKey(issued: IssuedKey): CreatedKey {
  const { keyId, name, mode, last4, createdAt, apiKey } = issued;
  return { key_id: keyId, name, mode, last4, created_at: isoTime(createdAt), api_key: apiKey };
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
