import { judge, parseAddress, parseCidr, type Explanation, type Verdict } from '@mailproof/engine';
import type { Caller } from '../../../src/core/keys/authenticate.ts';
import { createAdminToken } from '../../../src/core/keys/admin-token.ts';
import { createFindVisitor } from '../../../src/features/people/sessions/find-session.ts';
import { createClientAddress } from '../../../src/core/http/pipeline/client-network.ts';
import { createOverloadGuard, overloadLimits } from '../../../src/core/http/pipeline/overload-guard.ts';
import { createAddressHash } from '../../../src/core/process/log-secret.ts';
import { createLogger } from '../../../src/core/process/create-logger.ts';
import { createLogRequest } from '../../../src/core/http/pipeline/log-request.ts';
import type { WholeHttpParts } from '../../../src/start/whole-server.ts';
import { noConsoleFiles } from '../../../src/features/console/read-console-files.ts';

/** Parts for the tests of the HTTP side: each answers from a table and every call is written down. */
export type TestParts = WholeHttpParts & { calls: string[]; logLines: string[] };

/** The keys the tests know. Anything else is nobody's. */
const callers: Readonly<Record<string, Caller>> = {
  'Bearer paid': { accountId: 'account-paid', keyId: 'key-paid', mode: 'live', plan: 'paid' },
  'Bearer unpaid': { accountId: 'account-unpaid', keyId: 'key-unpaid', mode: 'live', plan: 'none' },
  'Bearer other': { accountId: 'account-other', keyId: 'key-other', mode: 'live', plan: 'paid' },
  'Bearer test': { accountId: 'account-paid', keyId: 'key-test', mode: 'test', plan: 'paid' },
};

/** As behind a proxy on this machine. */
const loopback = [parseCidr('127.0.0.0/8')].filter((block) => block !== undefined);

export const taskId = '0b6f2f0e-8a53-4c1e-9d59-4f6a3a1f7c11';

const explanation: Explanation = {
  stage: 'smtp',
  reason: 'mailbox_accepted',
  retry: { advised: false },
  mail_host: 'mx.example.com',
  replies: [{ phase: 'rcpt', code: 250, enhanced: '2.1.5', text: 'OK' }],
  timings_ms: { dns: 3, smtp: 20, total: 23 },
};

type TestOverrides = Partial<WholeHttpParts>;

export function createTestParts(overrides: TestOverrides = {}): TestParts {
  const calls: string[] = [];
  const logLines: string[] = [];
  const output = { write: (line: string) => void logLines.push(line) };
  const logger = createLogger('info', output);
  let requests = 0;
  const parts: Omit<WholeHttpParts, 'hasOperator' | 'showsProbers'> = {
    authenticate: (authorization) => Promise.resolve(callers[authorization ?? '']),
    verifyOne: ({ address: { email } }) =>
      Promise.resolve({
        kind: 'verified',
        verdict: unknownVerdict(email),
        explanation,
        creditsUsed: 0,
        replayed: false,
      }),
    createTask: ({ emails }) =>
      Promise.resolve({
        kind: 'created',
        taskId,
        counts: { submitted: emails.length, duplicatesRemoved: 0, rejected: 0, processing: emails.length },
        creditsUsed: emails.length,
        replayed: false,
      }),
    readTask: () => Promise.resolve({ kind: 'task_not_found' }),
    ...signedOut,
    account: noPages(),
    lists: noLists(),
    forms: noForms(),
    webhooks: noWebhooks(),
    people: noPeople(),
    operator: noOperatorActions(),
    probers: noProbers,
    basePath: '',
    consoleFiles: noConsoleFiles,
    // A machine that runs many tests at once is slow, and its service is not overloaded.
    overloadGuard: createOverloadGuard({ ...overloadLimits, waitMs: 60_000 }),
    rateLimits: { take: () => ({ kind: 'free' }) },
    readiness: () => Promise.resolve({ ready: true }),
    clientAddress: createClientAddress(loopback),
    newRequestId: () => `request-${++requests}`,
    hashAddress: createAddressHash('a secret of the test'),
    logger,
    logRequest: createLogRequest(logger, output),
    ...overrides,
  };
  return {
    findVisitor: createFindVisitor(parts),
    hasOperator: parts.adminToken.isSet || (parts.oidc?.operators.length ?? 0) > 0,
    showsProbers: true,
    ...parts,
    calls,
    logLines,
    authenticate: (authorization) => noted(calls, 'authenticate', () => parts.authenticate(authorization)),
    verifyOne: (request) => noted(calls, 'verifyOne', () => parts.verifyOne(request)),
    createTask: (request) => noted(calls, 'createTask', () => parts.createTask(request)),
    readTask: (request) => noted(calls, 'readTask', () => parts.readTask(request)),
  };
}

/** Nobody has signed in, and nobody can. */
const signedOut: Pick<WholeHttpParts, 'sessions' | 'adminToken' | 'signIns'> = {
  sessions: {
    open: () => Promise.reject(new Error('not part of this test')),
    find: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  },
  adminToken: createAdminToken(undefined),
  signIns: { begin: () => ({ kind: 'wait', seconds: 1 }) },
};

/** The pages of accounts have tests of their own, over real books. */
function noPages(): WholeHttpParts['account'] {
  const none = () => Promise.reject(new Error('not part of this test'));
  return {
    read: none,
    ledger: none,
    usage: none,
    tasks: none,
    keys: none,
    createKey: none,
    changeKey: none,
    deleteKey: none,
  };
}

/** So have forms. */
function noForms(): WholeHttpParts['forms'] {
  const none = () => Promise.reject(new Error('not part of this test'));
  return { findKey: none, check: none, keys: none, createKey: none, deleteKey: none };
}

/** So have lists. */
function noLists(): WholeHttpParts['lists'] {
  const none = () => Promise.reject(new Error('not part of this test'));
  return {
    create: none,
    change: none,
    start: none,
    pause: none,
    resume: none,
    cancel: none,
    remove: none,
    page: none,
    read: none,
    rows: none,
    explanation: none,
    download: none,
  };
}

/** So have webhooks. */
function noWebhooks(): WholeHttpParts['webhooks'] {
  const none = () => Promise.reject(new Error('not part of this test'));
  return {
    list: none,
    read: none,
    create: none,
    change: none,
    remove: none,
    rotateSecret: none,
    sendTest: none,
    sendAgain: none,
    deliveries: none,
  };
}

/** So have people. */
function noPeople(): WholeHttpParts['people'] {
  const none = () => Promise.reject(new Error('not part of this test'));
  return {
    list: none,
    invite: none,
    withdraw: none,
    changeRole: none,
    remove: none,
    describe: none,
    recognise: none,
  };
}

/** So has the operator's side. */
function noOperatorActions(): WholeHttpParts['operator'] {
  const none = () => Promise.reject(new Error('not part of this test'));
  return {
    findAccounts: none,
    findAccount: none,
    createAccount: none,
    changeAccount: none,
    unfreeze: none,
    grantCredits: none,
    listKeys: none,
    issueKey: none,
    changeKey: none,
    deleteKey: none,
    readLedger: none,
    listTasks: none,
    findRequest: none,
    listChanges: none,
    readHealth: none,
    endRests: none,
    listProbers: none,
    listEgress: none,
  };
}

function noted<T>(calls: string[], name: string, call: () => T): T {
  calls.push(name);
  return call();
}

/** A verdict by the real judge, so that the shapes under test are the shapes of the engine. */
export function unknownVerdict(email: string): Verdict {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') throw new Error(`${email} is no address: ${parsed.fault}`);
  const lists = { disposable: false, role: false, free: false, spamtrap: false, denied: false };
  return judge({ address: parsed.address, lists });
}

const noProbers: WholeHttpParts['probers'] = {
  authenticate: () => Promise.resolve(undefined),
  enrol: () => Promise.resolve({ kind: 'refused' }),
  lease: () => Promise.resolve('removed'),
  report: () => Promise.resolve({ ended: [] }),
};
