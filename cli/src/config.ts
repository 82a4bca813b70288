import { describeConfig, readConfig, type Config, type DescribedSetting } from '@mailproof/service/config';
import { defineCommand, exitCodes, type Surroundings } from './command.ts';
import { printable, wrap } from './present/text.ts';
import type { Terminal } from './terminal.ts';

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

export const configCommand = defineCommand({
  name: 'config',
  takes: '[--json]',
  summary: 'list all settings with their current values',
  options: {
    json: { type: 'flag', meaning: 'one object per line: {name, value, default, meaning}; null if unset' },
  },
  notes: ['Settings are environment variables. Passwords and tokens are masked.'],
  examples: ['mailproof config', 'MAILPROOF_PORT=9000 mailproof config --json'],
  words: { required: [], most: 0 },
  async run({ options, ...surroundings }) {
    if (loadConfig(surroundings) === undefined) return exitCodes.environment;
    const settings = describeConfig(surroundings.env);
    const { terminal } = surroundings;
    const lines = options.json
      ? settings.map((row) => JSON.stringify(row))
      : settings.flatMap((row) => present(row, terminal));
    await terminal.write(`${lines.join('\n')}\n`);
    return exitCodes.ok;
  },
});

function present(
  { name, value, default: usual, meaning }: DescribedSetting,
  { paint, columns }: Terminal,
): string[] {
  const isUsual = value === usual;
  const shown = paint(isUsual ? 'dim' : 'bold', printable(value ?? 'none'));
  const aside = isUsual ? '' : paint('dim', `  (default: ${usual ?? 'none'})`);
  return [`${name}=${shown}${aside}`, ...wrap(meaning, { columns, first: '    ', indent: '    ' })];
}
