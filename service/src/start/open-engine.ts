import { createHmac } from 'node:crypto';
import type { createEngine, Engine } from '@mailproof/engine';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Store } from '../db/store.ts';
import { engineSettings } from '../engine-settings.ts';
import { readLogSecret } from '../log/log-secret.ts';
import { StartError } from '../start-error.ts';
import { keepEngineMemory } from '../engine-state/keep-engine-memory.ts';
import { openLeaseStore } from '../engine-state/open-lease-store.ts';
import { readRandomProbeKey } from '../engine-state/read-random-probe-key.ts';

type OpenEngine = { engine: Engine; close: () => Promise<void> };

type EngineParts = Parameters<typeof keepEngineMemory>[0] & {
  createEngine: typeof createEngine;
  store: Store;
  logger: Logger;
};

/**
 * The engine, with what it learnt before, sharing host leases with the engines of other processes. A list or policy
 * file that cannot be used stops the start; the engine says which and why.
 */
export async function openEngine(config: Config, parts: EngineParts): Promise<OpenEngine> {
  const ownKey = createHmac('sha256', readLogSecret(config.dataDir)).update('strangers').digest('hex');
  const randomProbeKey = await readRandomProbeKey(ownKey, parts);
  const { memory, stop } = await keepEngineMemory(parts);
  const leases = openLeaseStore(parts);
  try {
    const settings = engineSettings(config, (message) => parts.logger.warn(message));
    const engine = parts.createEngine({ ...settings, memory, leases: leases.store, randomProbeKey });
    const close = async () => {
      engine.close();
      await Promise.all([stop(), leases.stop()]);
    };
    return { engine, close };
  } catch (error) {
    await stop();
    throw error instanceof StartError
      ? error
      : new StartError(String(error instanceof Error ? error.message : error), error);
  }
}
