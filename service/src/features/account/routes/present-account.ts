import type {
  Account,
  AccountKey,
  AccountTask,
  CreatedKey,
  KeyLimits as Limits,
  LedgerEntry,
} from '@mailproof/client';
import type { ReadAccountAnswer } from '../../../core/keys/accounts/read-account.ts';
import type { LedgerEntry as Entry } from '../../../core/ledger/read-ledger.ts';
import type { Caller } from '../../../core/keys/authenticate.ts';
import type { IssuedKey } from '../../../core/keys/issue-key.ts';
import type { KeyLimits } from '../../../core/keys/key-limits.ts';
import type { LivingKey } from '../../../core/keys/list-keys.ts';
import { dayMs } from '../../../core/ledger/daily-cap.ts';
import type { ListedTask } from '../../../core/verify/tasks/list-tasks.ts';
import { progressOf } from '../../../core/http/present/task.ts';

/** What the pages of an account show, in the words and forms of the contract. */
export function presentAccount({ accountId, name, plan, credits, frozen, key }: ReadAccountAnswer): Account {
  return {
    account_id: accountId,
    name,
    plan,
    credits,
    frozen,
    key: key && { key_id: key.keyId, name: key.name, mode: key.mode },
  };
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

export function presentKey(key: LivingKey, caller: Pick<Caller, 'keyId'>): AccountKey {
  const { keyId, lastUsedDay } = key;
  return {
    ...presentIssued(key),
    last_used: lastUsedDay === null ? null : isoTime(lastUsedDay * dayMs).slice(0, 10),
    credits_used: key.creditsUsed,
    credits_today: key.creditsToday,
    current: keyId === caller.keyId,
  };
}

export function presentCreatedKey(issued: IssuedKey): CreatedKey {
  const credits_today = issued.limits.creditsPerDay === null ? null : 0;
  const unused = { last_used: null, credits_used: 0, credits_today };
  return { ...presentIssued(issued), ...unused, api_key: issued.apiKey };
}

type Issued = Pick<IssuedKey, 'keyId' | 'name' | 'mode' | 'last4' | 'createdAt' | 'limits'>;

function presentIssued({ keyId, name, mode, last4, createdAt, limits }: Issued) {
  return {
    key_id: keyId,
    name,
    mode,
    last4,
    created_at: isoTime(createdAt),
    ...presentLimits(limits),
  };
}

function presentLimits({ scopes, expiresAt, allowedIps, creditsPerDay }: KeyLimits): Limits {
  return {
    scopes: scopes && [...scopes],
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
    allowed_ips: allowedIps && [...allowedIps],
    credits_per_day: creditsPerDay,
  };
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
