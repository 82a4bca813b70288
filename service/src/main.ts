import { createHmac } from 'node:crypto';
import { resolve } from 'node:path';
import { createEngine, systemClock, type Clock, type Engine } from '@mailproof/engine';
import type { DestinationStream, Logger } from 'pino';
import { engineSettings } from './engine-settings.ts';
import { ensureFirstAccount, type FirstAccountAnswer } from './accounts/ensure-first-account.ts';
import type { Config } from './config.ts';
import { openStore } from './db/open-store.ts';
import type { Store } from './db/store.ts';
import { StoreOpenError } from './db/store-open-error.ts';
import { StoreUnavailableError } from './db/store-unavailable-error.ts';
import { timeOrderedId } from './db/time-ordered-id.ts';
import { createWallClock, type WallClock } from './db/wall-clock.ts';
import { createAccountPages } from './http/account-pages.ts';
import { createAdmission } from './http/admission.ts';
import type { ApiServer } from './http/api-server.ts';
import { createLogger } from './http/create-logger.ts';
import { createAddressHash } from './http/hash-address.ts';
import { readConsoleFiles } from './http/read-console-files.ts';
import { createReadiness } from './http/readiness.ts';
import { createServer } from './http/server.ts';
import { watchEventLoop } from './http/watch-event-loop.ts';
import { createAuthenticate } from './keys/authenticate.ts';
import { readLogSecret } from './log-secret.ts';
import { createOperatorDesk, type OperatorDeskParts } from './operator/create-operator-desk.ts';
import { createSandbox } from './sandbox/create-sandbox.ts';
import { createAdminToken } from './sessions/admin-token.ts';
import { createSessions } from './sessions/create-sessions.ts';
import { createSignIns } from './sessions/slow-sign-ins.ts';
import { StartError } from './start-error.ts';
import { claimTask } from './tasks/claim-task.ts';
import { createTask } from './tasks/create-task.ts';
import { readTask } from './tasks/read-task.ts';
import { runTask } from './tasks/run-task.ts';
import { keepEngineMemory } from './upkeep/keep-engine-memory.ts';
import { openTurnBook } from './upkeep/open-turn-book.ts';
import { repeat } from './upkeep/repeat.ts';
import { startCounting } from './upkeep/start-counting.ts';
import { createSweep, type SweepParts } from './upkeep/sweep.ts';
import { auditEveryMs, createWatchBooks } from './upkeep/watch-books.ts';
import { createSlots, slotLimits } from './verifications/slots.ts';
import { countSingles } from './verifications/count-singles.ts';
import { verifyOne } from './verifications/verify-one.ts';
import { welcome, type FirstKeys } from './welcome.ts';
import { defaultWorkerLimits, startWorker } from './worker/start-worker.ts';

export { StartError };

export type Service = {
  /** Where the API listens. */
  url: string;
  /** Drains: nothing new is let in, what is under way is answered, tasks are put back. Within 30 seconds. */
  stop(): Promise<void>;
};

export type StartParts = {
  /** Where a person reads; only the first start has something to say there. */
  print(text: string): void;
  logDestination?: DestinationStream;
  createEngine: typeof createEngine;
  /** The system's own time, as it was set when the service started. */
  wall: WallClock;
};

const startParts: StartParts = {
  print: (text) => void process.stdout.write(text),
  createEngine,
  wall: Date,
};

/** Verifications that run at once, and how often dead processes, deadlines and expiries are looked for. */
const verificationsAtOnce = 500;
const sweepEveryMs = 1_000;

/** Where `node console/build.ts` puts the console. */
const consoleFolder = resolve(import.meta.dirname, '../../console/dist');

/** Starts the service. What keeps it from starting is thrown as a `StartError`, whose line tells the operator what to do. */
export async function startService(config: Config, given: Partial<StartParts> = {}): Promise<Service> {
  try {
    return await assemble(config, { ...startParts, ...given });
  } catch (error) {
    if (error instanceof StoreOpenError) throw new StartError(error.line, error);
    if (error instanceof StoreUnavailableError) throw new StartError(error.message, error);
    throw error;
  }
}

/**
 * Puts it together: store, engine, sandbox, upkeep, worker, HTTP. It is read from top to bottom, and nothing else
 * knows all of these.
 */
async function assemble(config: Config, parts: StartParts): Promise<Service> {
  const logger = createLogger(config.logLevel, parts.logDestination);
  const onProblem = (message: string, error?: unknown) => logger.error({ err: error }, message);
  const clock = systemClock;
  const store = await openStore({ ...config, check: true, threaded: true });
  // Where processes share a database they share its clock, so that they agree on when a lease ends.
  const wallClock = store.clock ?? createWallClock({ monotonic: clock, wall: parts.wall });
  const presence = await store.announce();
  const { engine, close: closeEngine } = await openEngine(config, {
    ...{ store, clock, wallClock, logger, onProblem },
    ...{ createEngine: parts.createEngine, processId: presence.id },
  });
  const sandbox = createSandbox({ delays: config.sandboxDelays === 'on', clock });
  const slots = createSlots({ clock, limits: slotLimits(verificationsAtOnce) });
  const { singleTimeoutMs, taskDeadlineMs, taskRetentionMs, deferRetryMs } = config;
  const counting = startCounting({ store, clock, wallClock, onProblem });
  const { onResult } = counting;
  const work = { store, engine, sandbox, slots, clock, wallClock, onProblem, onResult };

  const upkeep = await startUpkeep({ store, presence, clock, wallClock, taskRetentionMs, logger, onProblem });
  const worker = startWorker({
    claim: () => store.write((tx) => claimTask(tx, { processId: presence.id, now: wallClock.now() })),
    run: (claim, signals) =>
      runTask(claim, { ...work, itemTimeoutMs: taskDeadlineMs, deferRetryMs, taskRetentionMs }, signals),
    clock,
    limits: defaultWorkerLimits,
    onProblem,
  });

  const admission = createAdmission();
  const stopWatching = watchEventLoop((longestDelayMs) => admission.judgeWindow(longestDelayMs));
  const recall: Engine['recall'] = (address) => engine.recall(address);
  const server = await createServer({
    authenticate: createAuthenticate({ store, clock }),
    verifyOne: countSingles(
      (request) => verifyOne(request, { ...work, recall, processId: presence.id, singleTimeoutMs }),
      counting,
    ),
    createTask: (request) =>
      createTask(request, { store, wallClock, taskDeadlineMs, taskRetentionMs, wake: worker.wake }),
    readTask: (request) => readTask(request, { store, wallClock }),
    ...consoleParts(config, { ...work, presence }),
    admission,
    readiness: createReadiness({ store, clock, wallClock }),
    newRequestId: () => timeOrderedId(wallClock.now()),
    hashAddress: createAddressHash(readLogSecret(config.dataDir)),
    logger,
  });

  const takeDown = once(async () => {
    admission.drain();
    stopWatching();
    await Promise.all([worker.stop(), upkeep.stop(), drainRequests(server, admission.idle())]);
    await counting.stop();
    await closeServer(server);
    await closeEngine();
    await presence.leave();
    await store.close();
  });

  try {
    const url = await listen(server, config);
    const first = await ensureFirstAccount({ store, wallClock });
    if (first.kind === 'created') parts.print(welcome(url, keysOf(first)));
    logger.info({ url }, 'listening');
    const stop = once(async () => {
      await takeDown();
      logger.info('stopped');
    });
    return { url, stop };
  } catch (error) {
    await takeDown();
    throw error;
  }
}

type ConsoleParts = Omit<OperatorDeskParts, 'startedAt'> & { store: Store; clock: Clock };

/** What stands behind the console and the admin API: sessions, the pages of accounts and of the operator, the files. */
function consoleParts(config: Config, parts: ConsoleParts) {
  const adminToken = createAdminToken(config.adminToken);
  return {
    adminToken,
    sessions: createSessions({ ...parts, adminToken }),
    signIns: createSignIns(parts),
    account: createAccountPages(parts),
    operatorDesk: createOperatorDesk({ ...parts, startedAt: parts.wallClock.now() }),
    consoleFiles: readConsoleFiles(consoleFolder),
  };
}

type UpkeepParts = SweepParts & RepeatedParts & { logger: Logger };
type RepeatedParts = Omit<Parameters<typeof repeat>[1], 'everyMs'>;

/** Once before anything is served, so that what a crash left is put right first, and then again and again. */
async function startUpkeep(parts: UpkeepParts): Promise<{ stop(): Promise<void> }> {
  const { store, wallClock, logger } = parts;
  const sweep = createSweep(parts);
  const watchBooks = createWatchBooks({
    store,
    wallClock,
    onViolation: (violation) =>
      logger.error({ violation }, 'the books of an account do not balance; it is frozen'),
  });
  await sweep();
  await watchBooks();
  const sweeping = repeat(sweep, { ...parts, everyMs: sweepEveryMs });
  const auditing = repeat(watchBooks, { ...parts, everyMs: auditEveryMs });
  return {
    stop: async () => {
      await Promise.all([sweeping.stop(), auditing.stop()]);
    },
  };
}

type OpenEngine = { engine: Engine; close: () => Promise<void> };

type EngineParts = Parameters<typeof keepEngineMemory>[0] &
  Pick<StartParts, 'createEngine'> & { store: Store; logger: Logger };

/**
 * The engine, with what it learnt before, and in turn with the engines of other processes. A list or policy file that
 * cannot be used stops the start; the engine says which and why.
 */
async function openEngine(config: Config, parts: EngineParts): Promise<OpenEngine> {
  const { memory, stop } = await keepEngineMemory(parts);
  const turns = openTurnBook(parts);
  const strangerKey = createHmac('sha256', readLogSecret(config.dataDir)).update('strangers').digest('hex');
  try {
    const settings = engineSettings(config, (message) => parts.logger.warn(message));
    const engine = parts.createEngine({ ...settings, memory, turns: turns.book, strangerKey });
    const close = async () => {
      engine.close();
      await Promise.all([stop(), turns.stop()]);
    };
    return { engine, close };
  } catch (error) {
    await stop();
    throw error instanceof StartError
      ? error
      : new StartError(String(error instanceof Error ? error.message : error), error);
  }
}

async function listen(server: ApiServer, { host, port }: Config): Promise<string> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    throw new StartError(lineFor(error, { host, port }), error);
  }
  const address = server.server.address();
  const actualPort = address !== null && typeof address === 'object' ? address.port : port;
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${actualPort}`;
}

function lineFor(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (code === 'EADDRINUSE') {
    return `port ${port} on ${host} is taken: stop the program that holds it, or set MAILPROOF_PORT to another`;
  }
  if (code === 'EACCES') {
    return `port ${port} may not be opened by this user: set MAILPROOF_PORT to one above 1023`;
  }
  return `cannot listen on ${host}, port ${port} (${code}): set MAILPROOF_HOST to an address of this machine`;
}

/** All that drains together has this long; then it is cut off, so that the process is gone within 30 seconds. */
const drainMs = 25_000;
const lingerMs = 2_000;

/** Whoever is not answered by then is cut off: its verification is broken off and its credit returned. */
async function drainRequests(server: ApiServer, idle: Promise<void>): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), drainMs);
  await idle;
  clearTimeout(cut);
}

/** Connections with nothing under way are closed at once, the rest (half a request, say) soon after. */
async function closeServer(server: ApiServer): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), lingerMs);
  await server.close();
  clearTimeout(cut);
}

function keysOf(first: FirstAccountAnswer & { kind: 'created' }): FirstKeys {
  const { account, credits, liveKey, testKey } = first;
  return { accountId: account.accountId, credits, liveKey: liveKey.apiKey, testKey: testKey.apiKey };
}

/** Stopping twice is stopping once. */
function once(work: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => (result ??= work());
}
