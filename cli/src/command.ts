import { parseArgs } from 'node:util';
import { nearestName } from '@mailproof/engine/nearest-name';
import type { Feature } from './features.ts';
import type { Terminal } from './terminal.ts';

/** A command with its documentation. `--help` is made from the same tables, so every option is documented. */
export type Command = {
  kind: 'command';
  /** How it is called, without the program's name: `keys create`. */
  name: string;
  /** The arguments after the name: `ACCOUNT [--test]`. */
  takes: string;
  summary: string;
  /** Paragraphs below the options. */
  notes: readonly string[];
  options: OptionTable;
  examples: readonly string[];
  /** The feature without which the command is gone. */
  feature?: Feature | undefined;
  /** The reason why `--json` is refused. Set exactly if there is no such option. */
  noJson?: string | undefined;
  run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode>;
};

/** A command of commands: `keys` has create, list and delete. `byDefault` runs if none of them is named. */
export type CommandGroup = {
  kind: 'group';
  name: string;
  summary: string;
  byDefault?: string;
  actions: Readonly<Record<string, Command>>;
};

/** The terminal, the environment and the signal of the process. */
export type Surroundings = {
  terminal: Terminal;
  env: Record<string, string | undefined>;
  /** Aborted by Ctrl-C or a request to terminate. */
  signal: AbortSignal;
};

/** A valid command line. */
type Invocation<Options extends OptionTable> = Surroundings & {
  options: OptionValues<Options>;
  positionals: string[];
};

type Definition<Options extends OptionTable> = Omit<Command, 'kind' | 'run' | 'options' | 'notes'> & {
  notes?: readonly string[];
  options: Options;
  /** The words it takes beside its options. */
  words: ExpectedWords;
  run: (invocation: Invocation<Options>) => Promise<ExitCode>;
};

export function defineCommand<const Options extends OptionTable>({
  words,
  run,
  notes = [],
  ...definition
}: Definition<Options>): Command {
  return {
    ...definition,
    kind: 'command',
    notes,
    async run(args, surroundings) {
      const read = readArguments(args, { ...definition, words });
      if (read.kind === 'not_understood') {
        surroundings.terminal.tell(
          `mailproof: ${read.why} (usage: mailproof ${this.name} ${definition.takes})`,
        );
        return exitCodes.usage;
      }
      return await run({ ...surroundings, options: read.values, positionals: read.positionals });
    },
  };
}

/** Returns the same command under another name, which its help and its errors then show. */
export function underName(name: string, command: Command): Command {
  const renamed = (text: string) => text.replaceAll(`mailproof ${command.name}`, `mailproof ${name}`);
  return {
    ...command,
    name,
    notes: command.notes.map(renamed),
    examples: command.examples.map(renamed),
  };
}

type Option = { type: 'flag'; meaning: string } | { type: 'text'; placeholder: string; meaning: string };

type OptionTable = Readonly<Record<string, Option>>;

type OptionValues<Options extends OptionTable> = {
  [Name in keyof Options]: Options[Name]['type'] extends 'flag' ? boolean : string | undefined;
};

/** The words beside the options: the names of the required ones, and the largest number allowed. */
type ExpectedWords = { required: readonly string[]; most: number };

type Expected<Options extends OptionTable> = {
  options: Options;
  words: ExpectedWords;
  noJson?: string | undefined;
};

type ReadArguments<Options extends OptionTable> =
  | { kind: 'understood'; values: OptionValues<Options>; positionals: string[] }
  | { kind: 'not_understood'; why: string };

type Token = { rawName: string; name: string; value?: string | undefined };

/** Reads the arguments by the table of options. Node's parser splits them; the mistakes are found and named here. */
function readArguments<Options extends OptionTable>(
  args: readonly string[],
  { options, words, noJson }: Expected<Options>,
): ReadArguments<Options> {
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type }]) => [
        name,
        { type: type === 'flag' ? 'boolean' : 'string' },
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values: Record<string, string | boolean | undefined> = {};
  for (const [name, { type }] of Object.entries(options)) values[name] = type === 'flag' ? false : undefined;
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const why = faultOf(token, { options, noJson });
    if (why !== undefined) return { kind: 'not_understood', why };
    values[token.name] = token.value ?? true;
  }
  const missing = words.required[positionals.length];
  if (missing !== undefined) return { kind: 'not_understood', why: `Missing ${missing}` };
  if (positionals.length > words.most) {
    return { kind: 'not_understood', why: `Unexpected argument "${positionals[words.most] ?? ''}"` };
  }
  // Each value was set above from the option of the same name, a flag as a boolean, a text as a string.
  return { kind: 'understood', values: values as OptionValues<Options>, positionals };
}

function faultOf(
  token: Token,
  { options, noJson }: Pick<Expected<OptionTable>, 'options' | 'noJson'>,
): string | undefined {
  if (token.rawName === '--json' && noJson !== undefined) return `There is no --json here: ${noJson}`;
  const option = token.rawName.startsWith('--') ? options[token.name] : undefined;
  if (option === undefined) {
    const meant = nearestName(token.name, Object.keys(options));
    const hint =
      meant === undefined
        ? '. To pass a word that starts with -, put -- before it'
        : `. Did you mean --${meant}?`;
    return `Unknown option ${token.rawName}${hint}`;
  }
  if (option.type === 'flag')
    return token.value === undefined ? undefined : `Option ${token.rawName} takes no value`;
  const missing = token.value === undefined || (token.value.startsWith('--') && token.value.length > 2);
  return missing ? `Missing value: ${token.rawName} ${option.placeholder}` : undefined;
}

/** The exit codes. Scripts rely on these; `--help` and docs/command-line.md list them. */
export const exitCodes = {
  ok: 0,
  found: 1,
  usage: 2,
  environment: 3,
  defect: 70,
  interrupted: 130,
  readerGone: 141,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeMeanings: readonly { code: ExitCode; meaning: string }[] = [
  { code: exitCodes.ok, meaning: 'success' },
  {
    code: exitCodes.found,
    meaning: 'finished, but with findings: an address without a result, an invalid line, a problem',
  },
  { code: exitCodes.usage, meaning: 'invalid command line, or it names something that does not exist' },
  { code: exitCodes.environment, meaning: 'invalid setting, or the machine lacks something' },
  { code: exitCodes.defect, meaning: 'internal error in Mailproof' },
  {
    code: exitCodes.interrupted,
    meaning: 'interrupted (Ctrl-C); 143 when terminated, 141 when the output was closed',
  },
];
