import { exitCodes, type ExitCode } from './exit-codes.ts';
import { readArguments } from './read-arguments.ts';
import type { Terminal } from './terminal.ts';

/**
 * What a command is: its documentation and its work, side by side. `--help` is made from the first, so
 * that an option cannot be had without being told.
 */
export type Command = {
  kind: 'command';
  /** How it is called, without the program's name: `keys create`. */
  name: string;
  /** What follows: `ACCOUNT [--test]`. */
  takes: string;
  summary: string;
  /** Paragraphs below the options. */
  notes: readonly string[];
  options: OptionTable;
  examples: readonly string[];
  run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode>;
};

/** A command that does nothing itself: `keys` has create, list and delete. */
export type CommandGroup = {
  kind: 'group';
  name: string;
  summary: string;
  actions: Readonly<Record<string, Command>>;
};

export type Option =
  { type: 'flag'; meaning: string } | { type: 'text'; placeholder: string; meaning: string };

export type OptionTable = Readonly<Record<string, Option>>;

/** What the process hands to a command. */
export type Surroundings = {
  terminal: Terminal;
  env: Record<string, string | undefined>;
  /** Aborted by Ctrl-C or a request to terminate. */
  signal: AbortSignal;
};

export type OptionValues<Options extends OptionTable> = {
  [Name in keyof Options]: Options[Name]['type'] extends 'flag' ? boolean : string | undefined;
};

/** A command line that was understood. */
type Invocation<Options extends OptionTable> = Surroundings & {
  options: OptionValues<Options>;
  positionals: string[];
};

type Definition<Options extends OptionTable> = Omit<Command, 'kind' | 'run' | 'options' | 'notes'> & {
  notes?: readonly string[];
  options: Options;
  /** How many words it takes beside its options. */
  words: { least: number; most: number };
  run(invocation: Invocation<Options>): Promise<ExitCode>;
};

export function defineCommand<const Options extends OptionTable>(definition: Definition<Options>): Command {
  const { name, takes, summary, notes, options, examples, words } = definition;
  return {
    kind: 'command',
    name,
    takes,
    summary,
    notes: notes ?? [],
    options,
    examples,
    async run(args, surroundings) {
      const read = readArguments(args, { options, words });
      if (read.kind === 'not_understood') {
        surroundings.terminal.tell(`mailproof: ${read.why} (usage: mailproof ${name} ${takes})`);
        return exitCodes.usage;
      }
      return await definition.run({ ...surroundings, options: read.values, positionals: read.positionals });
    },
  };
}
