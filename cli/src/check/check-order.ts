import { readFile } from 'node:fs/promises';
import { createClient, type Client } from '@mailproof/client';
import type { Surroundings } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { CheckProblem } from './check-problem.ts';

export const usualUrl = 'http://127.0.0.1:8080';
export const usualConcurrency = 8;
export const mostConcurrency = 50;

/** What `mailproof check` was asked to do. */
export type CheckOrder = {
  /** `-` is the standard input. */
  input: string;
  output: string;
  column: string | undefined;
  url: string;
  client: Client;
  /** Answered by the sandbox, and so free of charge. */
  isTestKey: boolean;
  atOnce: number;
  yes: boolean;
  force: boolean;
  json: boolean;
};

type Given = {
  output: string | undefined;
  column: string | undefined;
  url: string | undefined;
  'key-file': string | undefined;
  concurrency: string | undefined;
  yes: boolean;
  json: boolean;
  force: boolean;
};

export async function readOrder(given: Given, input: string, { env }: Surroundings): Promise<CheckOrder> {
  const { output, column, yes, json, force } = given;
  if (output === undefined || output === '-')
    throw new CheckProblem(exitCodes.usage, 'Missing --output FILE');
  if (input === '-' && !yes)
    throw new CheckProblem(
      exitCodes.usage,
      'The list comes from standard input, so the cost cannot be confirmed there. Add --yes.',
    );
  const atOnce = readConcurrency(given.concurrency);
  const apiKey = await readApiKey({ file: given['key-file'], env });
  const url = given.url ?? env['MAILPROOF_URL'] ?? usualUrl;
  const client = connect(url, apiKey);
  return {
    input,
    output,
    column,
    url,
    client,
    isTestKey: apiKey.startsWith('mp_test_'),
    atOnce,
    yes,
    json,
    force,
  };
}

function connect(baseUrl: string, apiKey: string) {
  try {
    return createClient({ baseUrl, apiKey });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CheckProblem(exitCodes.usage, `${baseUrl} is not the URL of a service. Example: ${usualUrl}`);
  }
}

function readConcurrency(text: string | undefined): number {
  if (text === undefined) return usualConcurrency;
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= mostConcurrency) return count;
  throw new CheckProblem(
    exitCodes.usage,
    `--concurrency must be a whole number from 1 to ${mostConcurrency}`,
  );
}

type KeySources = { file: string | undefined; env: Record<string, string | undefined> };

/**
 * The API key, from a file or the environment. There is no option that takes the key itself: arguments can be read by
 * everybody on the machine while a command runs, and stay in the history of the shell.
 */
async function readApiKey({ file, env }: KeySources): Promise<string> {
  const text = file === undefined ? (env['MAILPROOF_API_KEY'] ?? '') : await firstLine(file);
  const where = file ?? 'MAILPROOF_API_KEY';
  if (text === '')
    throw new CheckProblem(
      exitCodes.environment,
      file === undefined
        ? 'No API key. Set MAILPROOF_API_KEY, or name a file that contains it with --key-file.'
        : `${file} has no API key on its first line.`,
    );
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new CheckProblem(exitCodes.environment, `${where} does not contain a valid API key.`);
  return text;
}

async function firstLine(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).split('\n', 1)[0]?.trim() ?? '';
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CheckProblem(exitCodes.usage, `Cannot read ${file}: ${why}`);
  }
}
