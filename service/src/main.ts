import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine, describeIpProfile, systemClock } from '@mailproof/engine';
import { ensureFirstAccount, type FirstAccountAnswer } from './core/keys/accounts/ensure-first-account.ts';
import type { Config } from './core/config/config.ts';
import { openStore } from './start/open-store.ts';
import type { ProcessRole } from './core/store/process-registry.ts';
import { StoreOpenError } from './core/store/store-open-error.ts';
import { createStoreWatch } from './core/upkeep/store-watch.ts';
import { StoreUnavailableError } from './core/store/store-unavailable-error.ts';
import { createWallClock, type WallClock } from './core/store/wall-clock.ts';
import { createLogger, openStandardOutput } from './core/process/create-logger.ts';
import type { LogOutput } from './core/process/batch-writes.ts';
import { createLogRequest } from './core/http/pipeline/log-request.ts';
import { createWorkerWatch } from './core/upkeep/worker-watch.ts';
import { createSandbox } from './core/verify/sandbox/create-sandbox.ts';
import { createMetrics } from './features/metrics/create-metrics.ts';
import { watchVerifications, watchWebhooks } from './features/metrics/watch-events.ts';
import { openEngine } from './start/open-engine.ts';
import { openMetrics } from './features/metrics/open-metrics.ts';
import type { Api, ApiParts } from './start/start-api.ts';
import { startTracing } from './start/start-tracing.ts';
import { startTasks } from './start/start-tasks.ts';
import { startUpkeep } from './start/start-upkeep.ts';
import { startWebhooks } from './features/webhooks/start-webhooks.ts';
import { watchFaults } from './start/watch-faults.ts';
import { StartError } from './core/config/start-error.ts';
import { startCounting } from './features/operator/statistics/start-counting.ts';
import { createSlots, slotLimits } from './core/verify/slots.ts';
import { once } from './core/process/once.ts';

export { StartError };
export type { ProcessRole };

export type Service = {
  /** URL of the API; empty for a worker or a prober. */
  url: string;
  /** URL of `/metrics` if it has a separate port. */
  metricsUrl: string | undefined;
  /** Drains within 30 seconds: admits nothing new, answers requests in flight, and puts tasks back. */
  stop(): Promise<void>;
};

export type StartParts = {
  /** The work of this process: serve the API, run tasks, ask mail hosts, or all of it. Every process does upkeep. */
  role: ProcessRole;
  /** Output for a person; only the first start prints something. */
  print: (text: string) => void;
  logDestination?: LogOutput;
  createEngine: typeof createEngine;
  /** The system's own time, as it was set when the service started. */
  wall: WallClock;
};

const startParts: StartParts = {
  role: 'all',
  print: (text) => void process.stdout.write(text),
  createEngine,
  wall: Date,
};

/** The channel that tells workers of new tasks. */
const newTasks = 'mailproof_tasks';

/** Starts the service. If it cannot start, it throws a `StartError` that tells the operator what to do. */
export async function startService(config: Config, given: Partial<StartParts> = {}): Promise<Service> {
  try {
    return await assembleService(config, { ...startParts, ...given });
  } catch (error) {
    if (error instanceof StoreOpenError) throw new StartError(error.line, error);
    if (error instanceof StoreUnavailableError) throw new StartError(error.message, error);
    throw error;
  }
}

/**
 * Puts it together: store, engine, sandbox, upkeep, tasks, API. It is read from top to bottom, and nothing else
 * knows all of these.
 */
async function assembleService(config: Config, parts: StartParts): Promise<Service> {
  const { role } = parts;
  // Workers and probers do without the HTTP side, and without the memory that it takes.
  const http = role === 'worker' || role === 'prober' ? undefined : await import('./start/start-api.ts');
  const log = parts.logDestination ?? openStandardOutput();
  const logger = createLogger(config.logLevel, log);
  const clock = systemClock;
  const metrics = createMetrics(config.features);
  const { onProblem, onGroup, faults, ...watched } = watchFaults({ logger, clock, metrics });
  const tracing = startTracing();
  const store = await openStore({ ...config, check: true, onGroup });
  // Processes that share a database share its clock, so that they agree on the end of a lease.
  const wallClock = store.clock ?? createWallClock({ monotonic: clock, wall: parts.wall });
  const registry = await store.joinRegistry(role);
  const storeWatch = createStoreWatch({ store, faults, clock, wallClock });
  const workers = createWorkerWatch({ registry, clock });
  const base = { store, storeWatch, workers, registry, clock, wallClock, logger, onProblem };
  const { engine, egress, queue, ...opened } = await openEngine(config, {
    ...base,
    role,
    createEngine: parts.createEngine,
    processId: registry.ownId,
  });
  const sandbox = createSandbox({ delays: config.sandboxDelays === 'on', clock });
  const slots = createSlots({ clock, limits: slotLimits(config.verificationsAtOnce) });
  const counting = startCounting({ ...base, onCounted: watchVerifications(metrics) });
  const work = { ...base, engine, egress, queue, sandbox, slots, onResult: counting.onResult };

  const upkeep = await startUpkeep({ ...work, taskRetentionMs: config.taskRetentionMs });
  const onLeaseLost = () => metrics.count('taskLeasesLost', {});
  const isWorker = role === 'all' || role === 'worker';
  const tasks = isWorker ? startTasks(config, { ...work, channel: newTasks, onLeaseLost }) : undefined;
  const sendsWebhooks = isWorker && config.features.includes('webhooks');
  const webhooks = sendsWebhooks
    ? startWebhooks(config, { ...work, onAttempt: watchWebhooks(metrics) })
    : undefined;
  let served: Awaited<ReturnType<typeof openMetrics>> | undefined;
  let api: Api | undefined;
  const takeDown = once(async () => {
    await Promise.all([tasks?.stop(), webhooks?.stop(), upkeep.stop(), api?.stop()]);
    await counting.stop();
    await served?.stop();
    await opened.close();
    await registry.leave();
    await store.close();
    watched.stop();
    tracing.stop();
  });

  try {
    served = await openMetrics(config, { ...work, metrics });
    const { route: metricsRoute, url: metricsUrl } = served;
    if (metricsUrl !== undefined) logger.info({ url: metricsUrl }, 'metrics');
    const wake = () => store.notify(newTasks);
    if (http === undefined) logger.info({ role }, 'working');
    else {
      const logRequest = served.timed(watched.counted(createLogRequest(logger, log)));
      const apiParts = { ...work, upkeep, counting, wake, logRequest, metrics, metricsRoute };
      api = await http.startApi(config, apiParts);
      await greet(config, { ...apiParts, url: api.url, print: parts.print });
      logger.info({ url: api.url }, 'listening');
    }
    const profile = config.pacing === 'off' ? 'private' : config.ipProfile;
    logger.info({ ip_profile: profile }, `IP profile ${describeIpProfile(profile)}`);
    const stop = once(async () => {
      await takeDown();
      logger.info('stopped');
    });
    return { url: api?.url ?? '', metricsUrl, stop };
  } catch (error) {
    await takeDown();
    throw error;
  }
}

/** The first start creates an account and gives its keys. */
async function greet(
  config: Config,
  parts: ApiParts & Pick<StartParts, 'print'> & { url: string },
): Promise<void> {
  const first = await ensureFirstAccount(parts);
  if (first.kind === 'created') await giveFirstKeys(config, welcome(parts.url, keysOf(first)), parts);
}

/** Keys in a log could be read by every reader of the log, for as long as it is kept. */
async function giveFirstKeys(
  { firstKeys, dataDir }: Config,
  text: string,
  { print, logger }: Pick<StartParts, 'print'> & Pick<ApiParts, 'logger'>,
): Promise<void> {
  if (firstKeys === 'print') {
    print(text);
    return;
  }
  const file = join(dataDir, 'first-keys.txt');
  // An existing file may be readable for others, so it is not written into.
  await rm(file, { force: true });
  await writeFile(file, text, { mode: 0o600, flag: 'wx' });
  logger.info({ file }, 'the keys of the first account are in this file');
}

function keysOf(first: FirstAccountAnswer & { kind: 'created' }): FirstKeys {
  const { account, credits, liveKey, testKey } = first;
  return { accountId: account.accountId, credits, liveKey: liveKey.apiKey, testKey: testKey.apiKey };
}

/** The text of the first start, printed once, for a person to read and paste. The keys are not stored in this form. */
type FirstKeys = { accountId: string; credits: number; liveKey: string; testKey: string };

function welcome(url: string, { accountId, credits, liveKey, testKey }: FirstKeys): string {
  return `
Mailproof is ready at ${url}

  account    ${accountId}, with a paid plan and ${credits.toLocaleString('en-US')} credits
  live key   ${liveKey}
  test key   ${testKey}

The keys are not shown again. The test key is answered by the sandbox and is free. Try it:

  curl ${url}/api/v1/email-verification \\
    -H 'Authorization: Bearer ${testKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"email":"safe@example.com"}'

API reference: ${url}/docs
For more keys, accounts and credits: ./mailproof --help

`;
}
