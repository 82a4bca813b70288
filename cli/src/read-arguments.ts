import { parseArgs } from 'node:util';
import { nearestName } from '@mailproof/engine/nearest-name';

type Option = { type: 'flag'; meaning: string } | { type: 'text'; placeholder: string; meaning: string };

export type OptionTable = Readonly<Record<string, Option>>;

export type OptionValues<Options extends OptionTable> = {
  [Name in keyof Options]: Options[Name]['type'] extends 'flag' ? boolean : string | undefined;
};

/** Words beside the options: those that must be there, by the names under which help lists them, and how many may be. */
export type ExpectedWords = { required: readonly string[]; most: number };

/** What a command understands. */
type Expected<Options extends OptionTable> = { options: Options; words: ExpectedWords };

type ReadArguments<Options extends OptionTable> =
  | { kind: 'understood'; values: OptionValues<Options>; positionals: string[] }
  | { kind: 'not_understood'; why: string };

type Token = { rawName: string; name: string; value?: string | undefined };

/**
 * Reads a command's arguments by its table of options. Node's parser splits them; what it finds is checked here, so
 * that a mistake is answered with one line that says what is wrong.
 */
export function readArguments<Options extends OptionTable>(
  args: readonly string[],
  { options, words }: Expected<Options>,
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
    const why = faultOf(token, options);
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

function faultOf(token: Token, options: OptionTable): string | undefined {
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
