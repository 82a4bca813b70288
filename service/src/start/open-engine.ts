import { createHmac } from 'node:crypto';
import type { createEngine, Engine } from '@mailproof/engine';
import type { Logger } from 'pino';
import type { Config } from '../core/config/config.ts';
import { engineSettings } from '../core/config/engine-settings.ts';
import { StartError } from '../core/config/start-error.ts';
import type { EgressReadiness } from '../core/http/routes/health.ts';
import { readLogSecret } from '../core/process/log-secret.ts';
import type { ProcessRegistry, ProcessRole } from '../core/store/process-registry.ts';
import type { Store } from '../core/store/store.ts';
import { keepEngineMemory } from '../core/verify/engine-state/keep-engine-memory.ts';
import { readRandomProbeKey } from '../core/verify/engine-state/read-random-probe-key.ts';
import { joinProbers } from '../features/probers/join-probers.ts';
import type { ProbeQueue } from '../features/probers/probe-queue.ts';

type OpenEngine = {
  engine: Engine;
  egress: EgressReadiness;
  /** Hands probes to others; absent if the installation has no probers. */
  queue: ProbeQueue | undefined;
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

/** A process without probers beside it asks from its own addresses, and knows of no others. */
const alone: EgressReadiness = { problem: () => undefined, unproven: () => [] };

/**
 * Opens the engine, with what it learnt before, and has it join the probers of the installation. A list or policy file
 * that cannot be used stops the start; the engine says which and why.
 */
export async function openEngine(config: Config, parts: EngineParts): Promise<OpenEngine> {
  const ownKey = createHmac('sha256', readLogSecret(config.dataDir)).update('strangers').digest('hex');
  const randomProbeKey = await readRandomProbeKey(ownKey, parts);
  const { memory, stop: stopMemory } = await keepEngineMemory(parts);
  const joining = config.features.includes('probers') ? joinProbers(config, parts) : undefined;
  try {
    const engine = parts.createEngine({
      ...engineSettings(config, (message) => parts.logger.warn(message)),
      memory,
      randomProbeKey,
      // On SQLite, a process that does everything has no other beside it.
      isAlone: config.databaseUrl === undefined && parts.role === 'all',
      ...joining?.choices,
    });
    const joined = await joining?.join(engine);
    const close = async () => {
      await joined?.leave();
      engine.close();
      await stopMemory();
    };
    return { engine, egress: joined?.egress ?? alone, queue: joining?.queue, close };
  } catch (error) {
    await Promise.all([stopMemory(), joining?.queue.close()]);
    throw error instanceof StartError
      ? error
      : new StartError(String(error instanceof Error ? error.message : error), error);
  }
}
