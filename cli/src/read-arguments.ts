import { parseArgs } from 'node:util';
import { nearestName } from '@mailproof/engine/nearest-name';
import type { OptionTable, OptionValues } from './command.ts';

/** What a command understands. */
type Expected<Options extends OptionTable> = { options: Options; words: { least: number; most: number } };

type ReadArguments<Options extends OptionTable> =
  | { kind: 'understood'; values: OptionValues<Options>; positionals: string[] }
  | { kind: 'not_understood'; why: string };

type Token = { rawName: string; name: string; value?: string | undefined };

/**
 * Reads a command's arguments by its table of options. Node's parser does the splitting; what it finds is
 * judged here, because a mistake is to be answered with one line that says what was meant.
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
  if (positionals.length < words.least) return { kind: 'not_understood', why: 'something is missing' };
  if (positionals.length > words.most) {
    return { kind: 'not_understood', why: `"${positionals[words.most] ?? ''}" is one word too many` };
  }
  // Each value was set above from the option of the same name, a flag as a boolean, a text as a string.
  return { kind: 'understood', values: values as OptionValues<Options>, positionals };
}

function faultOf(token: Token, options: OptionTable): string | undefined {
  const option = token.rawName.startsWith('--') ? options[token.name] : undefined;
  if (option === undefined) {
    const meant = nearestName(token.name, Object.keys(options));
    const hint =
      meant === undefined ? ', and a word that begins with - comes after --' : `; did you mean --${meant}?`;
    return `there is no option ${token.rawName}${hint}`;
  }
  if (option.type === 'flag')
    return token.value === undefined ? undefined : `${token.rawName} takes no value`;
  const missing = token.value === undefined || (token.value.startsWith('--') && token.value.length > 2);
  return missing ? `${token.rawName} needs a value: ${token.rawName} ${option.placeholder}` : undefined;
}
