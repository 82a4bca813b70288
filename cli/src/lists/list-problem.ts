import { MailproofError, type FailureReason } from '@mailproof/client';
import type { Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { printable } from '../present/printable.ts';

/** What stops a command that speaks to the service, for a reason outside of it. The message is the one line that is shown. */
export class ListProblem extends Error {
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
    text: 'Nothing like this was sent to the webhook, or it is no longer kept. To see what was, run mailproof webhooks deliveries ID.',
  },
  webhook_disabled: {
    exitCode: exitCodes.usage,
    text: 'The webhook is off. To switch it on, run mailproof webhooks change ID --on.',
  },
  too_many_webhooks: {
    exitCode: exitCodes.usage,
    text: 'The account has as many webhooks as it may have. Delete one first.',
  },
  invalid_webhook_url: {
    exitCode: exitCodes.usage,
    text: 'The service takes no such URL: it must be https, on port 443 or from 1024 on, without user name or password.',
  },
  live_key_required: {
    exitCode: exitCodes.environment,
    text: 'Only a live key may change this.',
  },
  invalid_request: { exitCode: exitCodes.usage, text: 'The service does not understand one of the options.' },
};

/**
 * Does the work and tells in one line what stopped it; an internal error is thrown on. `howToGoOn` is added where doing
 * the same again helps.
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
  if (error instanceof ListProblem) return { exitCode: error.exitCode, text: error.message };
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
