import { readFile } from 'node:fs/promises';
import { createClient, type Client } from '@mailproof/client';
import type { Surroundings } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { ListProblem } from './list-problem.ts';

const usualUrl = 'http://127.0.0.1:8080';

/** The options of every command that speaks to a service. */
export const clientOptions = {
  url: {
    type: 'text',
    placeholder: 'URL',
    meaning: `URL of the service (default: MAILPROOF_URL, or ${usualUrl})`,
  },
  'key-file': {
    type: 'text',
    placeholder: 'PATH',
    meaning: 'file with the API key on its first line (default: MAILPROOF_API_KEY)',
  },
} as const;

type Given = { url: string | undefined; 'key-file': string | undefined };

/** A client for the service and the account that the options and the environment name. */
export async function openClient(given: Given, surroundings: Surroundings): Promise<Client> {
  return createClient(await readConnection(given, surroundings));
}

/** Where the service is and which key to use, fit for a client. */
export async function readConnection(
  given: Given,
  { env }: Surroundings,
): Promise<{ baseUrl: string; apiKey: string }> {
  const apiKey = await readApiKey({ file: given['key-file'], env });
  const baseUrl = given.url ?? env['MAILPROOF_URL'] ?? usualUrl;
  try {
    createClient({ baseUrl, apiKey });
    return { baseUrl, apiKey };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ListProblem(exitCodes.usage, `${baseUrl} is not the URL of a service. Example: ${usualUrl}`);
  }
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
    throw new ListProblem(
      exitCodes.environment,
      file === undefined
        ? 'No API key. Set MAILPROOF_API_KEY, or name a file that contains it with --key-file.'
        : `${file} has no API key on its first line.`,
    );
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new ListProblem(exitCodes.environment, `${where} does not contain a valid API key.`);
  return text;
}

async function firstLine(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).split('\n', 1)[0]?.trim() ?? '';
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ListProblem(exitCodes.usage, `Cannot read ${file}: ${why}`);
  }
}
