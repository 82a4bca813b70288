import { readFile } from 'node:fs/promises';
import { createClient, MailproofError, type Client, type FailureReason } from '@mailproof/client';
import { exitCodes, type ExitCode, type Surroundings } from '../command.ts';
import { printable } from '../present/text.ts';

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

/** Returns the URL of the service and the key, checked. */
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
    throw new ServiceProblem(exitCodes.usage, `${baseUrl} is not the URL of a service. Example: ${usualUrl}`);
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
    throw new ServiceProblem(
      exitCodes.environment,
      file === undefined
        ? 'No API key. Set MAILPROOF_API_KEY, or name a file that contains it with --key-file.'
        : `${file} has no API key on its first line.`,
    );
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new ServiceProblem(exitCodes.environment, `${where} does not contain a valid API key.`);
  return text;
}

async function firstLine(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).split('\n', 1)[0]?.trim() ?? '';
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ServiceProblem(exitCodes.usage, `Cannot read ${file}: ${why}`);
  }
}

/**
 * A failure outside the command that stops it: a bad option, a missing key, the service or the disk. The message is
 * the one line that is shown.
 */
export class ServiceProblem extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

type Told = { exitCode: ExitCode; text: string };

/** Reasons that need more words than their name. */
const failures: Partial<Record<FailureReason, Told>> = {
  invalid_api_key: { exitCode: exitCodes.environment, text: 'The service does not know this API key.' },
  subscription_required: {
    exitCode: exitCodes.environment,
    text: 'The account of this API key has no active plan.',
  },
  insufficient_credits: {
    exitCode: exitCodes.environment,
    text: 'The account does not have enough credits for this list. Nothing was spent. Once it has enough, run the same command again.',
  },
  list_not_found: {
    exitCode: exitCodes.usage,
    text: 'There is no such list: it was deleted, has expired, or belongs to another account. To see all lists, run mailproof lists.',
  },
  wrong_list_state: {
    exitCode: exitCodes.usage,
    text: 'The state of the list does not allow this. To see its state, run mailproof lists show ID.',
  },
  webhook_not_found: {
    exitCode: exitCodes.usage,
    text: 'The account has no such webhook. To see all of them, run mailproof webhooks.',
  },
  delivery_not_found: {
    exitCode: exitCodes.usage,
    text: 'The webhook has no such delivery, or it is no longer kept. To see its deliveries, run mailproof webhooks deliveries ID.',
  },
  webhook_disabled: {
    exitCode: exitCodes.usage,
    text: 'The webhook is off. To switch it on, run mailproof webhooks change ID --on.',
  },
  too_many_webhooks: {
    exitCode: exitCodes.usage,
    text: 'The account has reached its limit of webhooks. Delete one first.',
  },
  invalid_webhook_url: {
    exitCode: exitCodes.usage,
    text: 'The service does not accept this URL: it must be https, on port 443 or from 1024 on, without user name or password.',
  },
  live_key_required: {
    exitCode: exitCodes.environment,
    text: 'Only a live key may change this.',
  },
  invalid_request: { exitCode: exitCodes.usage, text: 'The service does not understand one of the options.' },
};

/**
 * Does the work and tells in one line what stopped it; an internal error is thrown on. `howToGoOn` is added if the
 * same command may succeed later.
 */
export async function tellProblems(
  work: () => Promise<ExitCode>,
  { terminal, signal }: Surroundings,
  howToGoOn: string,
): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    terminal.progress('');
    if (signal.aborted) {
      terminal.tell(`mailproof: Stopped. ${howToGoOn}`);
      throw error;
    }
    const told = describe(error, howToGoOn);
    if (told === undefined) throw error;
    terminal.tell(`mailproof: ${printable(told.text).trimEnd()}`);
    return told.exitCode;
  }
}

function describe(error: unknown, howToGoOn: string): Told | undefined {
  if (error instanceof ServiceProblem) return { exitCode: error.exitCode, text: error.message };
  if (error instanceof MailproofError) return failures[error.reason] ?? describeFailure(error, howToGoOn);
  if (isDiskError(error)) return { exitCode: exitCodes.environment, text: `${error.message}. ${howToGoOn}` };
  return undefined;
}

/** Why the service, or the connection to it, stopped a command. A file that is no list is the user's to change. */
function describeFailure(
  { reason, status, requestId, detail, cause }: MailproofError,
  howToGoOn: string,
): Told {
  if (detail !== undefined) return { exitCode: exitCodes.usage, text: detail };
  const { environment: exitCode } = exitCodes;
  if (reason === 'network_error')
    return { exitCode, text: `The service cannot be reached (${rootOf(cause)}). ${howToGoOn}` };
  const id = requestId === undefined ? '' : `, request ${requestId}`;
  const where = status === undefined ? '' : ` (HTTP ${status}${id})`;
  return { exitCode, text: `The service answered ${reason}${where}. ${howToGoOn}` };
}

function rootOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown cause';
  if (cause.cause instanceof Error) return rootOf(cause.cause);
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}

export function isDiskError(error: unknown): error is Error {
  const codes = ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EISDIR', 'ENOTDIR', 'EIO'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
