import { createHmac } from 'node:crypto';
import { rereadEvidence, type createEngine, type Engine } from '@mailproof/engine';
import type { Logger } from 'pino';
import type { Config } from '../core/config/config.ts';
import type { ProcessRegistry, ProcessRole } from '../core/store/process-registry.ts';
import type { Store } from '../core/store/store.ts';
import { engineSettings } from '../core/config/engine-settings.ts';
import { readLogSecret } from '../core/process/log-secret.ts';
import { createDispatcher } from '../features/probers/dispatch.ts';
import { keepEgress, type EgressKeeper } from '../features/probers/keep-egress.ts';
import { createProbeExchange, createStoreSource } from '../features/probers/probe-exchange.ts';
import { createProbeQueue, type ProbeQueue } from '../features/probers/probe-queue.ts';
import { runProber } from '../features/probers/run-prober.ts';
import { createProberHistory, noteRole } from '../features/probers/who-may-ask.ts';
import { StartError } from '../core/config/start-error.ts';
import { keepEngineMemory } from '../core/verify/engine-state/keep-engine-memory.ts';
import { readRandomProbeKey } from '../core/verify/engine-state/read-random-probe-key.ts';

type OpenEngine = {
  engine: Engine;
  egress: EgressKeeper;
  /** Hands probes to others. */
  queue: ProbeQueue;
  /** Ends what others have handed to us, and leaves our egress addresses to the next. */
  close: () => Promise<void>;
};

type EngineParts = Parameters<typeof keepEngineMemory>[0] & {
  createEngine: typeof createEngine;
  store: Store;
  registry: ProcessRegistry;
  role: ProcessRole;
  logger: Logger;
};

/**
 * The engine, with what it learnt before, and its part among the probers of the installation: which egress addresses it
 * owns, what other processes hand to it, and what it hands to others. A list or policy file that cannot be used stops
 * the start; the engine says which and why.
 */
export async function openEngine(config: Config, parts: EngineParts): Promise<OpenEngine> {
  const ownKey = createHmac('sha256', readLogSecret(config.dataDir)).update('strangers').digest('hex');
  const randomProbeKey = await readRandomProbeKey(ownKey, parts);
  const { memory, stop: stopMemory } = await keepEngineMemory(parts);
  const queue = createProbeQueue({ ...parts, reread: rereadEvidence });
  const kept: { egress?: EgressKeeper } = {};
  const keeper = (): EgressKeeper => {
    if (kept.egress === undefined) throw new Error('a mailbox was asked for before the start was over');
    return kept.egress;
  };
  try {
    const engine = parts.createEngine({
      ...engineSettings(config, (message) => parts.logger.warn(message)),
      memory,
      randomProbeKey,
      sharesEgress: config.pacing === 'on',
      // On SQLite, a process that does everything has no other beside it.
      isAlone: config.databaseUrl === undefined && parts.role === 'all',
      isBelieved: (prober) => isBelieved(prober, keeper()),
      // A process that does everything knows which blocks are open; of a prober elsewhere it does not.
      mayAskElsewhere: () => parts.role !== 'all' || kept.egress?.areAllOurs() !== true,
      chooseProber: (local, policies) =>
        createDispatcher({ local, policies, clock: parts.clock, queue, egress: keeper }),
    });
    await noteRole(parts);
    const egress = await keepEgress({
      ...parts,
      engine,
      pacing: config.pacing,
      hadProber: createProberHistory(parts),
      onRecovery: (message) => parts.logger.info(message),
    });
    kept.egress = egress;
    const serving = serveOthers({ ...parts, engine, egress, queue });
    const close = async () => {
      await serving.stop();
      await queue.close();
      await egress.stop();
      engine.close();
      await stopMemory();
    };
    return { engine, egress, queue, close };
  } catch (error) {
    await Promise.all([stopMemory(), queue.close()]);
    throw error instanceof StartError
      ? error
      : new StartError(String(error instanceof Error ? error.message : error), error);
  }
}

/** Whether a prober outside may ask: it was not removed, and is neither in quarantine nor put aside. */
function isBelieved(prober: string, egress: EgressKeeper): boolean {
  return egress.addresses().some(({ owner, well }) => owner === prober && well);
}

/** What is under way when the process stops has this long to end; others ask for the rest. */
const drainMs = 10_000;

type ServingParts = EngineParts & Pick<OpenEngine, 'engine' | 'egress'> & { queue: ProbeQueue };

/** Asks what other processes hand to us, from the egress addresses that are ours. */
function serveOthers({ engine, egress, queue, ...parts }: ServingParts): { stop(): Promise<void> } {
  const exchange = createProbeExchange(parts);
  const running = runProber({
    source: createStoreSource(exchange, parts.processId),
    prober: engine.prober,
    clock: parts.clock,
    egress: () => egress.shared(),
    onProblem: parts.onProblem,
  });
  egress.onChange(() => {
    for (const prober of engine.answers.probers())
      if (!isBelieved(prober, egress)) engine.answers.forgetFrom(prober);
    running.wake();
    takeBack({ egress, queue, onProblem: parts.onProblem });
  });
  return {
    stop: async () => {
      await running.stop(drainMs);
      exchange.close();
    },
  };
}

/** What we handed to an egress address that has no owner any more, or that has become ours, is asked anew. */
function takeBack({ egress, queue, onProblem }: Pick<ServingParts, 'egress' | 'queue' | 'onProblem'>): void {
  const owned = new Map(egress.addresses().map((one) => [one.name, one]));
  for (const name of queue.busy()) {
    const address = owned.get(name);
    const canAsk = address?.well === true && !egress.isOurs(name);
    if (!canAsk)
      queue
        .withdraw(name, address?.owner ?? '')
        .catch((error: unknown) => onProblem('probes could not be taken back', error));
  }
}
