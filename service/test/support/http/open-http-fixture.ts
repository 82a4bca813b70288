import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { systemClock } from '@mailproof/engine';
import type { LightMyRequestResponse } from 'fastify';
import { createAccountWithKeys } from '../../../src/core/keys/accounts/create-account-with-keys.ts';
import { createRateLimits } from '../../../src/core/http/pipeline/rate-limits.ts';
import { createAuthenticate } from '../../../src/core/keys/authenticate.ts';
import type { IssuedKey } from '../../../src/core/keys/issue-key.ts';
import { createSandboxAllowance } from '../../../src/core/verify/sandbox/sandbox-allowance.ts';
import { createAdminToken } from '../../../src/core/keys/admin-token.ts';
import { createSessions } from '../../../src/features/people/sessions/create-sessions.ts';
import { createSignIns } from '../../../src/core/http/pipeline/slow-sign-ins.ts';
import { createListActions } from '../../../src/features/lists/list-actions.ts';
import { createWorkbookReaders } from '../../../src/features/lists/reading/workbook-readers.ts';
import { nearProvider } from '../near-provider.ts';
import { readBalance } from '../../../src/core/ledger/read-balance.ts';
import { createTask } from '../../../src/core/verify/tasks/create-task.ts';
import { readTask } from '../../../src/core/verify/tasks/read-task.ts';
import type { TestDatabase, TestStore } from '../databases.ts';
import { createTestClock, type TestClock } from '../../../../engine/test/support/test-clock.ts';
import { createOperatorActions } from '../../../src/features/operator/operator-actions.ts';
import type { ReadHealthParts } from '../../../src/features/operator/read-health.ts';
import { createAccountActions } from '../../../src/features/account/account-actions.ts';
import { createPeopleActions } from '../../../src/features/people/people-actions.ts';
import { createWebhookActions } from '../../../src/features/webhooks/webhook-actions.ts';
import type { WholeHttpParts } from '../../../src/start/whole-server.ts';
import type { OidcSignIn } from '../../../src/features/people/routes/people-parts.ts';
import { createWholeServer } from '../../../src/start/whole-server.ts';
import { createContractCheck } from './contract-check.ts';
import { createTestParts } from './test-parts.ts';

/** The HTTP side over real books, with two accounts that must not see each other. */
export type HttpFixture = Awaited<ReturnType<typeof openHttpFixture>>;

export type Asked = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  url: string;
  key?: IssuedKey;
  /** With the operator's token. */
  asOperator?: boolean;
  /** A session: its cookie, and its CSRF token unless `csrf` says otherwise. */
  session?: SignedIn;
  csrf?: string | undefined;
  headers?: Record<string, string>;
  body?: unknown;
};

export type SignedIn = { cookie: string; csrfToken: string };

export const adminToken = 'the-token-of-the-operator';

/** An engine that leaves one provider, one host's domain and one address alone, and has one route of each kind. */
const quietEngine: ReadHealthParts['engine'] = {
  counts: () => ({
    dnsQueries: 4,
    dnsFailures: { servfail: 1, refused: 0, silence: 0, malformed: 0, other_rcode: 0 },
    dialled: 3,
    forbidden: 2,
    breaches: 0,
    byRoute: [],
  }),
  health: () => ({
    resting: [
      { key: 'group google', reason: 'rate_limited', untilMs: 60_000 },
      { key: 'group mx.example', reason: 'unreachable', untilMs: 30_000 },
      { key: 'address 192.0.2.1', reason: 'timeout', untilMs: 90_000 },
    ],
    routes: [],
    closed: [],
    bans: [],
    resolver: { kind: 'denies', line: 'the resolver denies what is known to exist (example.com)' },
    doubtedProviders: ['google'],
    identity: [
      {
        route: 'default',
        heloName: 'vm.localdomain',
        seenFrom: [],
        problem: 'the HELO name is not ours',
        note: undefined,
      },
    ],
    mailPort: { kind: 'blocked', message: 'outbound port 25 is blocked' },
    conversations: { waiting: 1, open: 2 },
  }),
};

/** An engine to look at, and no proxy in front. */
const quiet = { engine: quietEngine, trustedProxies: [] };

const taskTimes = { taskDeadlineMs: 1_800_000, taskRetentionMs: 15 * 86_400_000 };

const listTimes = {
  listMaxRows: 5_000,
  listMaxBytes: 1_000_000,
  listStorage: { listStorageBytes: 100_000_000, listStorageFreeBytes: 10_000_000 },
  listDeadlineMs: 86_400_000,
  retentionMs: 15 * 86_400_000,
};

/** Test keys may have this many addresses stored in an hour. */
export const sandboxAddressesPerHour = 1_000;

function listParts(clock: TestClock) {
  const sandboxAllowance = createSandboxAllowance({ clock, addressesPerHour: sandboxAddressesPerHour });
  const workbooks = createWorkbookReaders({ clock: systemClock });
  return { ...listTimes, sandboxAllowance, nearProvider, workbooks };
}

/** Where people sign in with a provider, and who of them is the operator. */
type FixtureOptions = { oidc?: OidcSignIn; keySignIn?: 'on' | 'off' };

export async function openHttpFixture(
  database: TestDatabase,
  overrides: Partial<WholeHttpParts> = {},
  options: FixtureOptions = {},
) {
  const testStore = await database.open();
  const { store } = testStore;
  const time = createTestClock();
  const { wallClock } = time;
  const parts = { store, wallClock, actor: 'operator' as const };
  const token = createAdminToken(adminToken);
  const taskParts = { ...taskTimes, store, wallClock, wake: () => undefined };
  const registry = await store.joinRegistry();
  const watched = { clock: time, registry, startedAt: wallClock.now(), ...quiet };
  const httpParts = createTestParts({
    authenticate: createAuthenticate({ store, clock: time, wallClock, noteUse: () => undefined }),
    createTask: (request) => createTask(request, taskParts),
    readTask: (request) => readTask(request, parts),
    ...signInParts(options, { store, clock: time, wallClock, adminToken: token }),
    signIns: createSignIns({ clock: time }),
    account: createAccountActions(parts),
    lists: createListActions({ ...taskParts, ...listParts(time), processId: registry.ownId }),
    operator: createOperatorActions({ store, wallClock, ...watched }),
    webhooks: createWebhookActions({ ...taskParts, httpAllowed: false }),
    rateLimits: createRateLimits({ clock: time, ratePerAccount: undefined, ratePerKey: undefined }),
    newRequestId: randomUUID,
    ...overrides,
  });
  const server = await createWholeServer(httpParts);
  const check = createContractCheck(JSON.parse((await server.inject('/openapi.json')).body));

  /** Every answer is held against the OpenAPI document. */
  async function ask(asked: Asked): Promise<LightMyRequestResponse> {
    const { method = 'GET', url, body } = asked;
    const response = await server.inject({
      method,
      url,
      headers: headersOf(asked),
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    assert.ok(response.headers['x-request-id'], `${method} ${url} has no request id`);
    // What went wrong stands in the log and nowhere else.
    if (response.statusCode === 500) assert.fail(httpParts.logLines.slice(-2).join('\n'));
    if (method !== 'HEAD') check(patternOf(url), response, method);
    return response;
  }

  async function signIn(body: object, headers: Record<string, string> = {}): Promise<SignedIn> {
    const response = await ask({ method: 'POST', url: '/session', body, headers });
    assert.equal(response.statusCode, 200, response.body);
    const [cookie = ''] = String(response.headers['set-cookie']).split(';');
    return { cookie, csrfToken: response.json<{ csrf_token: string }>().csrf_token };
  }

  return {
    ...testStore,
    time,
    parts,
    server,
    ask,
    signIn,
    overloadGuard: httpParts.overloadGuard,
    people: httpParts.people,
    ours: await openKeyedAccount('ours', parts),
    theirs: await openKeyedAccount('theirs', parts),
    balanceOf: (accountId: string) => balanceOf(store, accountId),
    signInWith: (key: IssuedKey) => signIn({ key: key.apiKey }),
    signInAsOperator: () => signIn({ admin_token: adminToken }),
    close: async () => {
      await server.close();
      await registry.leave();
      await testStore.close();
    },
  };
}

type SignInParts = Parameters<typeof createSessions>[0] & { store: TestStore['store'] };

function signInParts({ oidc, keySignIn = 'on' }: FixtureOptions, parts: SignInParts) {
  const operators = oidc?.operators ?? [];
  return {
    sessions: createSessions({ ...parts, operators, keySignIn }),
    people: createPeopleActions({ ...parts, operators }),
    adminToken: parts.adminToken,
    oidc: oidc && { ...oidc, now: () => parts.wallClock.now() },
    keySignIn,
  };
}

async function balanceOf(store: TestStore['store'], accountId: string) {
  const balance = await readBalance(store.read, accountId);
  assert.ok(balance !== undefined);
  return balance;
}

type AccountParts = Parameters<typeof createAccountWithKeys>[1];

async function openKeyedAccount(name: string, parts: AccountParts) {
  const order = { name, plan: 'paid', credits: 100 } as const;
  const { account, liveKey, testKey } = await createAccountWithKeys(order, parts);
  return { accountId: account.accountId, live: liveKey, test: testKey };
}

function headersOf({
  key,
  asOperator = false,
  session,
  headers = {},
  body,
  ...rest
}: Asked): Record<string, string> {
  const csrf = 'csrf' in rest ? rest.csrf : session?.csrfToken;
  return {
    ...(key === undefined ? {} : { authorization: `Bearer ${key.apiKey}` }),
    ...(asOperator ? { authorization: `Bearer ${adminToken}` } : {}),
    ...(session === undefined ? {} : { cookie: session.cookie }),
    ...(csrf === undefined ? {} : { 'x-csrf-token': csrf }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
}

function patternOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path
    .replace(/^(\/api\/v1\/account\/keys)\/.*$/, '$1/{keyId}')
    .replace(/^(\/api\/v1\/account\/people)\/.*$/, '$1/{personId}')
    .replace(/^(\/api\/v1\/account\/invitations)\/.*$/, '$1/{invitationId}')
    .replace(/^(\/api\/v1\/webhooks\/[^/]+\/deliveries)\/[^/]+/, '$1/{deliveryId}')
    .replace(/^(\/api\/v1\/webhooks)\/(?!\{)[^/]+/, '$1/{webhookId}')
    .replace(/^(\/api\/v1\/lists)\/[^/]+(\/rows)\/.*$/, '$1/{listId}$2/{row}')
    .replace(/^(\/api\/v1\/lists)\/(?!\{)[^/]+/, '$1/{listId}')
    .replace(/^(\/api\/v1\/bulk-email-verification)\/.*$/, '$1/{taskId}')
    .replace(/^(\/admin\/v1\/requests)\/.*$/, '$1/{requestId}')
    .replace(/^(\/admin\/v1\/accounts)\/[^/]*/, '$1/{accountId}')
    .replace(/^(\/admin\/v1\/accounts\/\{accountId\}\/keys)\/.*$/, '$1/{keyId}');
}
