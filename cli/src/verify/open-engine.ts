import { createEngine, type Engine } from '@mailproof/engine';
import type { Config } from '@mailproof/service/config';
import type { Surroundings } from '../command.ts';

/** Nothing where one of the operator's list files cannot be used, and that has been told then. */
export function openEngine(config: Config, { terminal }: Surroundings): Engine | undefined {
  const { spamtrapsFile, allowFile, denyFile } = config;
  const tell = (message: string) => terminal.tell(`mailproof: ${message}`);
  try {
    return createEngine({
      ...config,
      listFiles: {
        ...(spamtrapsFile === undefined ? {} : { spamtraps: spamtrapsFile }),
        ...(allowFile === undefined ? {} : { allow: allowFile }),
        ...(denyFile === undefined ? {} : { deny: denyFile }),
      },
      onProblem: tell,
    });
  } catch (error) {
    if (spamtrapsFile === undefined && allowFile === undefined && denyFile === undefined) throw error;
    tell(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
