import { readFile } from 'node:fs/promises';
import { exitCodes } from '../exit-codes.ts';
import { CheckProblem } from './check-problem.ts';

type KeySources = { file: string | undefined; env: Record<string, string | undefined> };

/**
 * The API key, from a file or the environment. There is no option that takes the key itself: arguments can be read by
 * everybody on the machine while a command runs, and stay in the history of the shell.
 */
export async function readApiKey({ file, env }: KeySources): Promise<string> {
  const text = file === undefined ? (env['MAILPROOF_API_KEY'] ?? '') : await firstLine(file);
  const where = file ?? 'MAILPROOF_API_KEY';
  if (text === '')
    throw new CheckProblem(
      exitCodes.environment,
      file === undefined
        ? 'no API key: set MAILPROOF_API_KEY, or name a file that holds it with --key-file'
        : `${file} holds no API key in its first line`,
    );
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new CheckProblem(exitCodes.environment, `${where} holds something else than an API key`);
  return text;
}

async function firstLine(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).split('\n', 1)[0]?.trim() ?? '';
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CheckProblem(exitCodes.usage, `cannot read ${file}: ${why}`);
  }
}
