import { exitCodeMeanings, type Command, type CommandGroup } from './command.ts';
import { sections } from './commands.ts';
import type { Feature } from './features.ts';
import { wrap } from './present/text.ts';

type EnabledFeatures = ReadonlySet<Feature>;

/** Lists every command of the enabled features. `columns` is the width of the screen. */
export function helpForProgram(enabled: EnabledFeatures, columns: number): string {
  const shown = sections.map(({ title, commands }) => ({
    title,
    commands: commands.filter(({ feature }) => feature === undefined || enabled.has(feature)),
  }));
  const width = Math.max(...shown.flatMap(({ commands }) => commands.map(({ name }) => name.length)));
  return [
    'Checks whether an email address can receive mail, and shows the evidence.',
    '',
    'usage: mailproof COMMAND [ARGUMENTS] [OPTIONS]',
    ...shown.flatMap(({ title, commands }) => [
      '',
      `${title}:`,
      ...table(
        commands.map(({ name, summary }) => [name.padEnd(width), summary]),
        columns,
      ),
    ]),
    '',
    'exit codes:',
    ...table(
      exitCodeMeanings.map(({ code, meaning }) => [String(code), meaning]),
      columns,
    ),
    '',
    ...wrap(
      'With --json a command prints one JSON object, or one per line. Settings come from MAILPROOF_ environment variables; mailproof config lists them. For help on a command, run mailproof COMMAND --help.',
      { columns },
    ),
    '',
  ].join('\n');
}

export function helpForCommand(command: Command, columns: number): string {
  const options = Object.entries(command.options).map(([name, option]): [string, string] => [
    option.type === 'flag' ? `--${name}` : `--${name} ${option.placeholder}`,
    option.meaning,
  ]);
  return [
    ...wrap(`${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`, { columns }),
    '',
    ...wrap(`usage: mailproof ${command.name} ${command.takes}`, { columns, indent: '  ' }),
    ...(options.length === 0 ? [] : ['', ...table(options, columns)]),
    ...command.notes.flatMap((note) => ['', ...wrap(note, { columns })]),
    '',
    'examples:',
    ...command.examples.map((example) => `  ${example}`),
    '',
  ].join('\n');
}

export function helpForGroup(
  group: CommandGroup,
  { enabled, columns }: { enabled: EnabledFeatures; columns: number },
): string {
  const actions = Object.values(group.actions).filter(
    ({ feature }) => feature === undefined || enabled.has(feature),
  );
  return [
    `${group.summary.charAt(0).toUpperCase()}${group.summary.slice(1)}.`,
    '',
    ...actions.flatMap(({ name, takes, summary }) => [
      ...wrap(`mailproof ${name} ${takes}`, { columns, first: '  ', indent: '    ' }),
      ...wrap(summary, { columns, first: '      ', indent: '      ' }),
    ]),
    '',
    'examples:',
    ...actions.flatMap(({ examples }) => examples.map((example) => `  ${example}`)),
    '',
  ].join('\n');
}

function table(rows: readonly (readonly [string, string])[], columns: number): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.flatMap(([name, text]) =>
    wrap(text, { columns, first: `  ${name.padEnd(width)}  `, indent: ' '.repeat(width + 4) }),
  );
}
