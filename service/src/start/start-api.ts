import { resolve } from 'node:path';
import type { Server as TlsServer } from 'node:tls';
import { ipProfiles, type Clock, type Engine } from '@mailproof/engine';
import type { Logger } from 'pino';
import type { Config } from '../core/config/config.ts';
import { engineSettings } from '../core/config/engine-settings.ts';
import { withFreshDeadlines } from '../core/store/with-fresh-deadlines.ts';
import { timeOrderedId } from '../core/store/time-ordered-id.ts';
import type { Store } from '../core/store/store.ts';
import type { StoreWatch } from '../core/upkeep/store-watch.ts';
import { createAccountActions } from '../features/account/account-actions.ts';
import { expectedSeconds, type SendingRate } from '../features/lists/expected-seconds.ts';
import { createListActions, type ListActions } from '../features/lists/list-actions.ts';
import { createWorkbookReaders } from '../features/lists/reading/workbook-readers.ts';
import { startForms } from '../features/forms/form-actions.ts';
import { createOverloadGuard } from '../core/http/pipeline/overload-guard.ts';
import type { ApiServer } from '../core/http/routes/http-parts.ts';
import { createClientAddress } from '../core/http/pipeline/client-network.ts';
import { createRateLimits } from '../core/http/pipeline/rate-limits.ts';
import type { LogRequest } from '../core/http/pipeline/log-request.ts';
import { isOurs } from '../core/http/pipeline/paths.ts';
import { readConsoleFiles } from '../features/console/read-console-files.ts';
import { createReadiness } from '../core/http/routes/health.ts';
import { createServer } from '../core/http/server.ts';
import type { HttpParts } from '../core/http/routes/http-parts.ts';
import { watchEventLoop } from '../core/http/pipeline/watch-event-loop.ts';
import { createWebhookActions } from '../features/webhooks/webhook-actions.ts';
import { newDeliveries } from '../features/webhooks/start-webhooks.ts';
import { createAuthenticate } from '../core/keys/authenticate.ts';
import { startKeyUses } from '../core/keys/note-key-uses.ts';
import { createAddressHash, readLogSecret } from '../core/process/log-secret.ts';
import { createOperatorActions, type OperatorActionsParts } from '../features/operator/operator-actions.ts';
import { createProxyNotice } from '../features/operator/proxy-notice.ts';
import { tellOfWorkers, type WorkerWatch } from '../core/upkeep/worker-watch.ts';
import type { Sandbox } from '../core/verify/sandbox/create-sandbox.ts';
import {
  createSandboxAllowance,
  limitSandbox,
  type SandboxAllowance,
} from '../core/verify/sandbox/sandbox-allowance.ts';
import type { EgressKeeper } from '../features/probers/keep-egress.ts';
import { createPeopleActions } from '../features/people/people-actions.ts';
import { createAdminToken } from '../features/people/sessions/admin-token.ts';
import { createSessions } from '../features/people/sessions/create-sessions.ts';
import { createSignIns } from '../features/people/sessions/slow-sign-ins.ts';
import type { ProbeQueue } from '../features/probers/probe-queue.ts';
import { openOidc } from '../features/people/oidc/open-oidc.ts';
import { openProberCentre } from '../features/probers/open-prober-centre.ts';
import type { Metrics } from '../features/metrics/create-metrics.ts';
import { StartError } from '../core/config/start-error.ts';
import {
  createTask,
  type CreateTaskAnswer,
  type CreateTaskRequest,
} from '../core/verify/tasks/create-task.ts';
import { readTask } from '../core/verify/tasks/read-task.ts';
import { countSingles } from '../core/verify/count-singles.ts';
import { createGivenUp } from '../core/verify/given-up.ts';
import { lineFor } from '../core/http/listen-failure.ts';
import { readTlsPair, renewTlsPair } from './open-tls.ts';
import { reachableUrl } from '../core/http/reachable-url.ts';
import { countRefusals } from '../features/metrics/open-metrics.ts';
import {
  verifyOne,
  type VerifyOneAnswer,
  type VerifyOneParts,
  type VerifyOneRequest,
} from '../core/verify/verify-one.ts';
import type { Upkeep } from './start-upkeep.ts';

/** The HTTP side of a process: what it answers with, where it listens, and how it goes down. */
export type Api = { url: string; stop(): Promise<void> };

export type ApiParts = Omit<
  VerifyOneParts,
  'recall' | 'endStore' | 'processId' | 'givenUp' | 'singleTimeoutMs'
> &
  ConsoleParts & {
    engine: Engine;
    egress: Pick<EgressKeeper, 'problem' | 'unproven'>;
    queue: ProbeQueue;
    sandbox: Sandbox;
    counting: Parameters<typeof countSingles>[1];
    upkeep: Pick<Upkeep, 'checking' | 'problems'>;
    storeWatch: StoreWatch;
    workers: WorkerWatch;
    /** Tells the workers of every process that there is something to do. */
    wake: () => void;
    logger: Logger;
    logRequest: LogRequest;
    onProblem(message: string, error?: unknown): void;
    metrics: Metrics;
    /** Where the figures are served on the API's own port. */
    metricsRoute: HttpParts['metrics'];
  };

/** Where `node console/build.ts` puts the console. */
const consoleFolder = resolve(import.meta.dirname, '../../../console/dist');

export async function startApi(config: Config, parts: ApiParts): Promise<Api> {
  refuseTakenBasePath(config);
  const { store, engine, clock, wallClock, registry, logger } = parts;
  const { singleTimeoutMs, taskDeadlineMs, taskRetentionMs } = config;
  const overloadGuard = countRefusals(createOverloadGuard(), parts.metrics);
  const allowance = createSandboxAllowance({ clock, addressesPerHour: config.sandboxAddressesPerHour });
  const recall: Engine['recall'] = (address) => engine.recall(address);
  const inTime = { ...parts, store: withFreshDeadlines(store, 'work') };
  const endStore = withFreshDeadlines(store, 'end');
  const givenUp = createGivenUp(parts);
  const single = { ...inTime, endStore, recall, processId: registry.ownId, givenUp, singleTimeoutMs };
  const task = { ...inTime, taskDeadlineMs, taskRetentionMs };
  const probers = openProberCentre(config, parts);
  const forms = startForms({ ...parts, engine });
  const keyUses = startKeyUses(parts);
  const tls = readTlsPair(config);
  const oidc = await openOidc(config, parts);
  const server = await createServer({
    tls,
    authenticate: createAuthenticate({ ...parts, ...keyUses, store: withFreshDeadlines(store, 'key') }),
    verifyOne: limitSandbox(
      countSingles((request) => verifyOne(request, single), parts.counting),
      { allowance, ...storedSingles },
    ),
    createTask: limitSandbox((request) => createTask(request, task), { allowance, ...storedTasks }),
    readTask: (request) => readTask(request, { store: store.withRequestDeadline('work'), wallClock }),
    lists: listActions(config, parts, allowance),
    probers,
    forms,
    webhooks: webhookActions(config, parts),
    ...consoleParts(config, parts),
    oidc: oidc?.signIn,
    overloadGuard,
    rateLimits: createRateLimits({ ...config, clock }),
    readiness: createReadiness(parts),
    clientAddress: createClientAddress(
      config.trustedProxies,
      createProxyNotice({ ...parts, processId: registry.ownId }),
    ),
    newRequestId: () => timeOrderedId(wallClock.now()),
    hashAddress: createAddressHash(readLogSecret(config.dataDir)),
    logger,
    logRequest: parts.logRequest,
    metrics: parts.metricsRoute,
  });
  const stopWatching = watchEventLoop((window) =>
    overloadGuard.judgeWindow({ ...window, storeWaitMs: store.waitMs() }),
  );
  const workerNews = tellOfWorkers({ ...parts, onRecovery: (message) => logger.info(message) });
  const stopRenewing = tls && renewTls(server, config, { ...parts, pair: tls });
  const stop = async () => {
    stopRenewing?.();
    overloadGuard.drain();
    probers.close();
    stopWatching();
    await drainRequests(server, overloadGuard.idle());
    await closeServer(server);
    await givenUp.stop();
    await workerNews.stop();
    await forms.stop();
    await keyUses.stop();
    oidc?.close();
  };
  try {
    return { url: await listen(server, config), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function webhookActions(config: Config, { store, wallClock }: ApiParts) {
  return createWebhookActions({
    store,
    wallClock,
    httpAllowed: config.webhookEgressAllow.length > 0,
    wake: () => store.notify(newDeliveries),
  });
}

function listActions(config: Config, parts: ApiParts, sandboxAllowance: SandboxAllowance): ListActions {
  return createListActions({
    ...config,
    store: parts.store,
    wallClock: parts.wallClock,
    processId: parts.registry.ownId,
    retentionMs: config.taskRetentionMs,
    listStorage: config,
    workbooks: createWorkbookReaders({ clock: parts.clock }),
    sandboxAllowance,
    wake: parts.wake,
    expectSeconds: (mailboxes) => expectedSeconds(mailboxes, sendingRate(config, parts)),
    nearProvider: {
      live: (address) => parts.engine.nearProvider(address),
      test: (address) => parts.sandbox.nearProvider(address),
    },
  });
}

/** What all egress addresses of this process may send, for an estimate. Those of probers elsewhere are not counted. */
function sendingRate({ pacing, ipProfile }: Config, { engine }: ApiParts): SendingRate {
  const { routes } = engine.health();
  const sum = (of: (route: (typeof routes)[number]) => number): number =>
    routes.reduce((total, route) => total + of(route), 0);
  return {
    pace: ipProfiles[pacing === 'off' ? 'private' : ipProfile],
    egressAddresses: routes.length,
    leftToday: sum(({ dayLimit = Infinity, openedToday }) => Math.max(0, dayLimit - openedToday)),
    perDay: sum(({ dayLimit = Infinity }) => dayLimit),
  };
}

/** What the store keeps of a test key's requests: of a single one only the answer that belongs to an `Idempotency-Key`. */
const storedSingles = {
  addressesIn: ({ idempotency }: VerifyOneRequest) => (idempotency === undefined ? 0 : 1),
  isStored: (answer: VerifyOneAnswer) => answer.kind === 'verified' && !answer.replayed,
};
const storedTasks = {
  addressesIn: ({ emails }: CreateTaskRequest) => emails.length,
  isStored: (answer: CreateTaskAnswer) => answer.kind === 'created' && !answer.replayed,
};

type ConsoleParts = Omit<OperatorActionsParts, 'startedAt' | 'trustedProxies'> & {
  store: Store;
  clock: Clock;
};

/** What the console and the admin API need: sessions, the actions of accounts and of the operator, the files. */
function consoleParts(config: Config, parts: ConsoleParts) {
  const adminToken = createAdminToken(config.adminToken);
  const { oidcOperators: operators, keySignIn, basePath } = config;
  return {
    adminToken,
    keySignIn,
    sessions: createSessions({
      ...parts,
      store: sessionStore(parts.store),
      adminToken,
      operators,
      keySignIn,
    }),
    people: createPeopleActions({ ...parts, operators }),
    signIns: createSignIns(parts),
    account: createAccountActions(parts),
    operator: createOperatorActions({
      ...parts,
      trustedProxies: config.trustedProxies,
      startedAt: parts.wallClock.now(),
    }),
    basePath,
    about: aboutHost(config),
    consoleFiles: readConsoleFiles(consoleFolder, basePath),
  };
}

/** The HELO names of all routes lead here, if the operator has the names point to this machine. */
function aboutHost(config: Config): HttpParts['about'] {
  const { aboutContact: contact, mailFrom, heloName } = config;
  if (contact === undefined) return undefined;
  const { policyFile } = engineSettings(config, () => undefined);
  const ofRoutes = policyFile?.routes.flatMap((route) => route.heloName ?? []) ?? [];
  return { contact, mailFrom, heloNames: [...new Set([heloName, ...ofRoutes])] };
}

/** Requests that have the base path are told from those whose proxy took it off, so it may not begin like one of them. */
function refuseTakenBasePath({ basePath }: Config): void {
  if (basePath === '' || !isOurs(basePath)) return;
  throw new StartError(
    `MAILPROOF_BASE_PATH is ${basePath}, where the service has pages of its own: it may be a path such as /mailproof`,
  );
}

/** Finding a session is part of authentication and has its deadline; opening and closing one is work like any other. */
function sessionStore(store: Store): Pick<Store, 'read' | 'write'> {
  return { read: withFreshDeadlines(store, 'key').read, write: withFreshDeadlines(store, 'work').write };
}

/** With a certificate the framework serves HTTPS, which its type does not tell. */
function renewTls(server: ApiServer, config: Config, parts: Parameters<typeof renewTlsPair>[2]): () => void {
  return renewTlsPair(server.server as unknown as TlsServer, config, parts);
}

async function listen(server: ApiServer, { host, port, tlsCertFile, basePath }: Config): Promise<string> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    throw new StartError(lineFor(error, { host, port, setting: 'MAILPROOF_PORT' }), error);
  }
  const address = server.server.address();
  const actualPort = address !== null && typeof address === 'object' ? address.port : port;
  return `${reachableUrl(host, actualPort, tlsCertFile === undefined ? 'http' : 'https')}${basePath}`;
}

/** Draining may take this long; what is left is then cut off, so that the process ends within 30 seconds. */
const drainMs = 25_000;
const lingerMs = 2_000;

/** Requests not answered by then are cut off: their verification is aborted and the credit returned. */
async function drainRequests(server: ApiServer, idle: Promise<void>): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), drainMs);
  await idle;
  clearTimeout(cut);
}

/** Idle connections are closed at once, the rest (half a request, say) soon after. */
async function closeServer(server: ApiServer): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), lingerMs);
  await server.close();
  clearTimeout(cut);
}
