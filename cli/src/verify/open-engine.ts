import { createEngine, type Engine } from '@mailproof/engine';
import type { Config } from '@mailproof/service/config';
import { engineSettings } from '@mailproof/service/engine-settings';
import type { Surroundings } from '../command.ts';

/** Nothing where one of the operator's files cannot be used, and that has been told then. */
export function openEngine(config: Config, { terminal }: Surroundings): Engine | undefined {
  const tell = (message: string) => terminal.tell(`mailproof: ${message}`);
  const { spamtrapsFile, disposableFile, allowFile, denyFile, providersFile } = config;
  const files = [spamtrapsFile, disposableFile, allowFile, denyFile, providersFile];
  try {
    return createEngine(engineSettings(config, tell));
  } catch (error) {
    if (files.every((file) => file === undefined)) throw error;
    tell(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
