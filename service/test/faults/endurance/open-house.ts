import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorld, type World } from '@mailproof/world';
import type { Home } from './launch.ts';
import { town } from './town.ts';

/** A place to run the service in, wired to a town of its own, thrown away afterwards. */
type House = { home: Home; world: World; close: () => Promise<void> };

export async function openHouse(settings: Record<string, string> = {}): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-endurance-'));
  const world = await startWorld(town);
  const environment = {
    ...world.environment,
    MAILPROOF_PACING: 'off',
    MAILPROOF_DEFER_RETRY_MS: '50',
    MAILPROOF_SANDBOX_DELAYS: 'off',
    ...settings,
  };
  return {
    home: { dataDir: join(folder, 'data'), environment },
    world,
    close: async () => {
      await world.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
