import { findAccount, findAccounts, type AccountState, type FindAccountsRequest } from './find-accounts.ts';
import { createAccount, type AccountRequest, type Plan } from '../../core/keys/accounts/create-account.ts';
import { writeAccountPlan } from '../../core/keys/accounts/set-plan.ts';
import { writeAccountRate } from '../../core/keys/accounts/set-rate.ts';
import { listChanges, type AuditEntry } from './audit-log/list-changes.ts';
import {
  grantCredits,
  type GrantCreditsAnswer,
  type GrantCreditsRequest,
} from '../../core/ledger/grant-credits.ts';
import { unfreezeAccount } from '../../core/ledger/unfreeze-account.ts';
import { readLedger, type LedgerAnswer, type LedgerRequest } from '../../core/ledger/read-ledger.ts';
import { createUsageReader } from '../../core/ledger/read-usage.ts';
import type { Store } from '../../core/store/store.ts';
import { withFreshDeadlines } from '../../core/store/with-fresh-deadlines.ts';
import { changeKey, type ChangeKeyAnswer } from '../../core/keys/change-key.ts';
import { deleteKey, type DeleteKeyAnswer } from '../../core/keys/delete-key.ts';
import { issueKey, type IssueKeyAnswer } from '../../core/keys/issue-key.ts';
import { listLivingKeys, type LivingKey } from '../../core/keys/list-keys.ts';
import type { LimitsWish } from '../../core/keys/read-key-limits.ts';
import { listEgress, type ListedEgress } from '../probers/list-egress.ts';
import { listProbers, type ListedProber } from '../probers/list-probers.ts';
import { listTasks, type ListTasksRequest } from '../../core/verify/tasks/list-tasks.ts';
import { findRequest, type RequestTrace } from './find-request.ts';
import { endRests } from './rests.ts';
import { readHealth, type Health, type ReadHealthParts } from './read-health.ts';

/**
 * What the operator may see and do, over every account. Every change is recorded as made by the operator. Whether a
 * request is the operator's is decided in http/pipeline/authenticate-operator.ts, not here.
 */
export type OperatorActions = {
  findAccounts(request: FindAccountsRequest): ReturnType<typeof findAccounts>;
  findAccount(accountId: string): Promise<AccountState | undefined>;
  createAccount(request: AccountRequest): Promise<AccountState>;
  /** What is not named stays; `undefined` where there is no such account. */
  changeAccount(request: AccountChange): Promise<AccountState | undefined>;
  /** `undefined` where there is no such account. One that is not frozen stays as it is. */
  unfreeze(request: { accountId: string; reason: string }): Promise<AccountState | undefined>;
  grantCredits(request: GrantCreditsRequest): Promise<GrantAnswer>;
  /** Those that are not deleted, the newest first; `undefined` where there is no such account. */
  listKeys(accountId: string): Promise<LivingKey[] | undefined>;
  issueKey(key: {
    accountId: string;
    mode: 'live' | 'test';
    name: string | undefined;
    limits: LimitsWish;
  }): Promise<IssueKeyAnswer>;
  changeKey(key: {
    accountId: string;
    keyId: string;
    name: string | undefined;
    limits: LimitsWish;
  }): Promise<ChangeAnswer>;
  deleteKey(key: { accountId: string; keyId: string }): Promise<DeleteKeyAnswer>;
  readLedger(request: LedgerRequest): Promise<LedgerAnswer>;
  listTasks(request: ListTasksRequest): ReturnType<typeof listTasks>;
  findRequest(requestId: string): Promise<RequestTrace | undefined>;
  listChanges(page: { limit: number; before: number | undefined }): Promise<AuditEntry[]>;
  readHealth(hours: number): Promise<Health>;
  /** Ends the rests of a name, as the health lists it. */
  endRests(which: { name: string }): ReturnType<typeof endRests>;
  listProbers(): Promise<ListedProber[]>;
  /** The egress addresses of the installation itself. */
  listEgress(): Promise<ListedEgress[]>;
};

export type OperatorHttp = {
  operator: OperatorActions;
  /** Whether there is an operator: a token is set, or the provider knows one. */
  hasOperator: boolean;
  /** Whether probers are part of the installation. */
  showsProbers: boolean;
};

type GrantAnswer =
  { kind: 'granted'; account: AccountState } | Exclude<GrantCreditsAnswer, { kind: 'granted' }>;

type AccountChange = {
  accountId: string;
  plan: Plan | undefined;
  requestsPerMinute: number | null | undefined;
};

type ChangeAnswer = Exclude<ChangeKeyAnswer, { kind: 'changed' }> | { kind: 'changed'; key: LivingKey };

export type OperatorActionsParts = Omit<ReadHealthParts, 'store'> & {
  store: Pick<Store, 'withRequestDeadline'>;
};

export function createOperatorActions(parts: OperatorActionsParts): OperatorActions {
  const usage = createUsageReader({ ...parts, store: withFreshDeadlines(parts.store, 'work') });
  /** Everything that one request asks for shares one deadline. */
  const inTime = () => ({
    ...parts,
    usageByKey: usage.byKey,
    store: parts.store.withRequestDeadline('work'),
    actor: 'operator' as const,
  });
  return {
    findAccounts: (request) => findAccounts(request, inTime()),
    findAccount: (accountId) => findAccount(accountId, inTime()),
    createAccount: async (request) => {
      const changing = inTime();
      return stateOf((await createAccount(request, changing)).accountId, changing);
    },
    changeAccount: async ({ accountId, plan, requestsPerMinute }) => {
      const changing = inTime();
      const change = { accountId, actor: changing.actor, now: changing.wallClock.now() };
      await changing.store.write(async (tx) => {
        if (plan !== undefined) await writeAccountPlan(tx, { ...change, plan });
        if (requestsPerMinute !== undefined) await writeAccountRate(tx, { ...change, requestsPerMinute });
      }, accountId);
      return findAccount(accountId, changing);
    },
    unfreeze: async (request) => {
      const changing = inTime();
      const answer = await unfreezeAccount(request, changing);
      return answer.kind === 'unfrozen' ? stateOf(answer.accountId, changing) : undefined;
    },
    grantCredits: async (request) => {
      const changing = inTime();
      const answer = await grantCredits(request, changing);
      return answer.kind === 'granted'
        ? { kind: 'granted', account: await stateOf(answer.accountId, changing) }
        : answer;
    },
    listKeys: (accountId) => livingKeys(accountId, inTime()),
    issueKey: (key) => issueKey(key, inTime()),
    changeKey: async (key) => {
      const changing = inTime();
      const answer = await changeKey(key, changing);
      if (answer.kind !== 'changed') return answer;
      const living = await listLivingKeys(key.accountId, changing);
      const changed = living.find(({ keyId }) => keyId === key.keyId);
      return changed === undefined ? { kind: 'key_not_found' } : { kind: 'changed', key: changed };
    },
    deleteKey: (key) => deleteKey(key, inTime()),
    readLedger: (request) => readLedger(request, inTime()),
    listTasks: (request) => listTasks(request, inTime()),
    findRequest: (requestId) => findRequest(requestId, inTime()),
    listChanges: (page) => listChanges(page, inTime()),
    readHealth: (hours) => readHealth(hours, inTime()),
    endRests: (which) => endRests(which, inTime()),
    listProbers: () => listProbers(inTime()),
    listEgress: () => listEgress(inTime()),
  };
}

type ReadParts = { store: Pick<Store, 'read'> };

/** Accounts are never deleted, so one that was changed still exists. */
async function stateOf(accountId: string, parts: ReadParts): Promise<AccountState> {
  const account = await findAccount(accountId, parts);
  if (account === undefined) throw new Error('an account that was changed is not there');
  return account;
}

async function livingKeys(
  accountId: string,
  parts: Parameters<typeof listLivingKeys>[1],
): Promise<LivingKey[] | undefined> {
  const keys = await listLivingKeys(accountId, parts);
  if (keys.length === 0 && (await findAccount(accountId, parts)) === undefined) return undefined;
  return keys;
}
