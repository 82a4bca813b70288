import { exitCodes, type ExitCode } from './exit-codes.ts';
import { readArguments, type ExpectedWords, type OptionTable, type OptionValues } from './read-arguments.ts';
import type { Terminal } from './terminal.ts';

/**
 * A command: its documentation and what it does, side by side. `--help` is made from the first, so that no option goes
 * undocumented.
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

/** A command that does nothing itself: `keys` has create, list and delete. One may be meant where none is named. */
export type CommandGroup = {
  kind: 'group';
  name: string;
  summary: string;
  byDefault?: string;
  actions: Readonly<Record<string, Command>>;
};

/** What the process hands to a command. */
export type Surroundings = {
  terminal: Terminal;
  env: Record<string, string | undefined>;
  /** Aborted by Ctrl-C or a request to terminate. */
  signal: AbortSignal;
};

/** A command line that was understood. */
type Invocation<Options extends OptionTable> = Surroundings & {
  options: OptionValues<Options>;
  positionals: string[];
};

type Definition<Options extends OptionTable> = Omit<Command, 'kind' | 'run' | 'options' | 'notes'> & {
  notes?: readonly string[];
  options: Options;
  /** The words it takes beside its options. */
  words: ExpectedWords;
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
