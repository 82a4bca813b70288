import type { Server as TlsServer } from 'node:tls';
import type { Engine } from '@mailproof/engine';
import type { Logger } from 'pino';
import type { Config } from '../core/config/config.ts';
import { withFreshDeadlines } from '../core/store/with-fresh-deadlines.ts';
import { timeOrderedId } from '../core/store/time-ordered-id.ts';
import type { StoreWatch } from '../core/upkeep/store-watch.ts';
import { createOverloadGuard } from '../core/http/pipeline/overload-guard.ts';
import type { ApiServer } from '../core/http/routes/http-parts.ts';
import { createClientAddress } from '../core/http/pipeline/client-network.ts';
import { createRateLimits } from '../core/http/pipeline/rate-limits.ts';
import type { LogRequest } from '../core/http/pipeline/log-request.ts';
import { createReadiness, type EgressReadiness } from '../core/http/routes/health.ts';
import { createServer } from '../core/http/server.ts';
import { watchEventLoop } from '../core/http/pipeline/watch-event-loop.ts';
import { createAuthenticate } from '../core/keys/authenticate.ts';
import { startKeyUses } from '../core/keys/note-key-uses.ts';
import { createAddressHash, readLogSecret } from '../core/process/log-secret.ts';
import { createProxyNotice } from '../features/operator/proxy-notice.ts';
import { tellOfWorkers, type WorkerWatch } from '../core/upkeep/worker-watch.ts';
import type { Sandbox } from '../core/verify/sandbox/create-sandbox.ts';
import { createSandboxAllowance, limitSandbox } from '../core/verify/sandbox/sandbox-allowance.ts';
import { createAdminToken } from '../core/keys/admin-token.ts';
import { createSignIns } from '../core/http/pipeline/slow-sign-ins.ts';
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
import { openFeatureParts, type FeatureContext } from './open-features.ts';
import type { Upkeep } from './start-upkeep.ts';
import { loadFeatureHttp } from './whole-server.ts';

/** The HTTP side of a process. */
export type Api = { url: string; stop(): Promise<void> };

export type ApiParts = Omit<
  VerifyOneParts,
  'recall' | 'endStore' | 'processId' | 'givenUp' | 'singleTimeoutMs'
> &
  FeatureContext & {
    engine: Engine;
    egress: EgressReadiness;
    sandbox: Sandbox;
    counting: Parameters<typeof countSingles>[1];
    upkeep: Pick<Upkeep, 'checking' | 'problems'>;
    storeWatch: StoreWatch;
    workers: WorkerWatch;
    /** Tells the workers of every process that a task is due. */
    wake: () => void;
    logger: Logger;
    logRequest: LogRequest;
    onProblem(message: string, error?: unknown): void;
    metrics: Metrics;
  };

export async function startApi(config: Config, parts: ApiParts): Promise<Api> {
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
  const keyUses = startKeyUses(parts);
  const tls = readTlsPair(config);
  const adminToken = createAdminToken(config.adminToken);
  const opened = await openFeatureParts(config, { ...parts, adminToken, allowance });
  const clientAddress = createClientAddress(
    config.trustedProxies,
    createProxyNotice({ ...parts, processId: registry.ownId }),
  );
  const closeParts = async () => {
    await givenUp.stop();
    await opened.close();
    await keyUses.stop();
  };
  const features = await loadFeatureHttp(config.features, opened.parts);
  const creating = createServer({
    features,
    findVisitor: opened.findVisitor(clientAddress),
    adminToken,
    signIns: createSignIns(parts),
    basePath: config.basePath,
    tls,
    authenticate: createAuthenticate({ ...parts, ...keyUses, store: withFreshDeadlines(store, 'key') }),
    verifyOne: limitSandbox(
      countSingles((request) => verifyOne(request, single), parts.counting),
      { allowance, ...storedSingles },
    ),
    createTask: limitSandbox((request) => createTask(request, task), { allowance, ...storedTasks }),
    readTask: (request) => readTask(request, { store: store.withRequestDeadline('work'), wallClock }),
    overloadGuard,
    rateLimits: createRateLimits({ ...config, clock }),
    readiness: createReadiness(parts),
    clientAddress,
    newRequestId: () => timeOrderedId(wallClock.now()),
    hashAddress: createAddressHash(readLogSecret(config.dataDir)),
    logger,
    logRequest: parts.logRequest,
  });
  const server = await creating.catch(async (error: unknown) => {
    opened.drain();
    await closeParts();
    throw error;
  });
  return serve(server, config, { parts, overloadGuard, tls, opened, closeParts });
}

type Serving = {
  parts: ApiParts;
  overloadGuard: ReturnType<typeof createOverloadGuard>;
  tls: ReturnType<typeof readTlsPair>;
  opened: Awaited<ReturnType<typeof openFeatureParts>>;
  closeParts: () => Promise<void>;
};

/** Listens, and watches over what is served until it stops. */
async function serve(server: ApiServer, config: Config, serving: Serving): Promise<Api> {
  const { parts, overloadGuard, tls, opened, closeParts } = serving;
  const { store, logger } = parts;
  const stopWatching = watchEventLoop((window) =>
    overloadGuard.judgeWindow({ ...window, storeWaitMs: store.waitMs() }),
  );
  const workerNews = tellOfWorkers({ ...parts, onRecovery: (message) => logger.info(message) });
  const stopRenewing = tls && renewTls(server, config, { ...parts, pair: tls });
  const stop = async () => {
    stopRenewing?.();
    overloadGuard.drain();
    opened.drain();
    stopWatching();
    await drainRequests(server, overloadGuard.idle());
    await closeServer(server);
    await workerNews.stop();
    await closeParts();
  };
  try {
    return { url: await listen(server, config), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Addresses that the store keeps of a test key's requests: of a single one, only an answer with an `Idempotency-Key`.
 */
const storedSingles = {
  addressesIn: ({ idempotency }: VerifyOneRequest) => (idempotency === undefined ? 0 : 1),
  isStored: (answer: VerifyOneAnswer) => answer.kind === 'verified' && !answer.replayed,
};
const storedTasks = {
  addressesIn: ({ emails }: CreateTaskRequest) => emails.length,
  isStored: (answer: CreateTaskAnswer) => answer.kind === 'created' && !answer.replayed,
};

/** Renews the certificate. With one, the framework serves HTTPS, which its type does not show. */
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

/** Longest drain; open requests are then cut off, so that the process ends within 30 seconds. */
const drainMs = 25_000;
const lingerMs = 2_000;

/** Waits for open requests, then cuts them off: their verification is aborted and the credit returned. */
async function drainRequests(server: ApiServer, idle: Promise<void>): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), drainMs);
  await idle;
  clearTimeout(cut);
}

/** Closes idle connections at once, and others (half a request, for example) soon after. */
async function closeServer(server: ApiServer): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), lingerMs);
  await server.close();
  clearTimeout(cut);
}
