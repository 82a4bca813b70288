import { exitCodeMeanings, type Command, type CommandGroup } from './command.ts';
import type { CommandEntry } from './commands.ts';
import { wrap } from './present/text.ts';

/** The help texts, all made from the tables. `columns` is the width of the screen. */
export function helpForProgram(commands: readonly CommandEntry[], columns: number): string {
  return [
    'Checks whether an email address can receive mail, and shows the evidence.',
    '',
    'usage: mailproof COMMAND [ARGUMENTS] [OPTIONS]',
    '',
    ...table(
      commands.map(({ name, summary }) => [name, summary]),
      columns,
    ),
    '',
    'exit codes:',
    ...table(
      exitCodeMeanings.map(({ code, meaning }) => [String(code), meaning]),
      columns,
    ),
    '',
    ...wrap(
      'Settings come from MAILPROOF_ environment variables; mailproof config lists them. For help on a command, run mailproof COMMAND --help.',
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

export function helpForGroup(group: CommandGroup, columns: number): string {
  const actions = Object.values(group.actions);
  return [
    `${group.summary.charAt(0).toUpperCase()}${group.summary.slice(1)}.`,
    '',
    ...actions.flatMap(({ name, takes, summary }) => [
      `  mailproof ${name} ${takes}`,
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
