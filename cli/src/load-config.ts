import { readConfig, type Config } from '@mailproof/service/config';
import type { Surroundings } from './command.ts';

/** The current settings, after printing warnings; nothing if one is invalid, after printing which. */
export function loadConfig({ env, terminal }: Surroundings): Config | undefined {
  const read = readConfig(env);
  switch (read.kind) {
    case 'ok':
      for (const warning of read.warnings) terminal.tell(`mailproof: ${warning}`);
      return read.config;
    case 'bad':
      terminal.tell(`mailproof: ${read.problem}`);
      return undefined;
  }
}
