import { createClient, MailproofError } from '@mailproof/client';
import { ListProblem } from '@mailproof/client/lists';
import { defineCommand, type Surroundings } from '../command.ts';
import { CheckProblem } from '../check/check-problem.ts';
import { describeFailure, goOn } from '../check/describe-failure.ts';
import { readApiKey } from '../check/read-api-key.ts';
import { runCheck, type CheckOrder } from '../check/run-check.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';

const usualUrl = 'http://127.0.0.1:8080';
const usualConcurrency = 8;
const mostConcurrency = 50;

export const checkCommand = defineCommand({
  name: 'check',
  takes: 'LIST|- --output FILE [--column NAME|N] [--yes] [--json]',
  summary: 'check a list of addresses through the API of the service',
  options: {
    output: { type: 'text', placeholder: 'FILE', meaning: 'where the checked list goes' },
    column: {
      type: 'text',
      placeholder: 'NAME|N',
      meaning: 'the column with the addresses, by heading or number; found by itself unless given',
    },
    yes: { type: 'flag', meaning: 'spend the credits without asking' },
    json: { type: 'flag', meaning: 'the summary as one JSON object' },
    force: { type: 'flag', meaning: 'overwrite an output that is there already' },
    url: {
      type: 'text',
      placeholder: 'URL',
      meaning: `where the service is (MAILPROOF_URL, or ${usualUrl} unless given)`,
    },
    'key-file': {
      type: 'text',
      placeholder: 'PATH',
      meaning: 'a file with the API key in its first line (MAILPROOF_API_KEY unless given)',
    },
    concurrency: {
      type: 'text',
      placeholder: 'N',
      meaning: `tasks of 100 under way at once, 1 to ${mostConcurrency} (${usualConcurrency} unless given)`,
    },
  },
  notes: [
    'LIST is CSV (comma or semicolon), TSV, or one address a line; - is the standard input. Its columns, order and quoting stay as they are; email_status, email_score, email_safe_to_send, email_deliverable and email_reason are added.',
    'Interrupted or killed, start it again with the same arguments: it goes on where it was and pays for nothing twice. Until it is done, what it knows is in FILE.mailproof-journal.',
    'The API key is never taken as an argument, because others on the machine can read those.',
  ],
  examples: [
    'mailproof check people.csv --output checked.csv',
    'mailproof check people.csv --column "Work email" --output checked.csv --yes',
    'cut -f3 people.tsv | mailproof check - --output checked.csv --yes --json',
  ],
  words: { least: 1, most: 1 },
  async run({ options, positionals, ...surroundings }) {
    try {
      return await runCheck(await readOrder(options, positionals[0] ?? '-', surroundings), surroundings);
    } catch (error) {
      return tellWhy(error, options.output ?? '', surroundings);
    }
  },
});

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

async function readOrder(given: Given, input: string, { env }: Surroundings): Promise<CheckOrder> {
  const { output, column, yes, json, force } = given;
  if (output === undefined || output === '-')
    throw new CheckProblem(exitCodes.usage, 'which file shall the checked list go to? name it with --output');
  if (input === '-' && !yes)
    throw new CheckProblem(
      exitCodes.usage,
      'nobody can be asked while the list comes from the standard input: add --yes',
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
    throw new CheckProblem(exitCodes.usage, `${baseUrl} is no address of a service, such as ${usualUrl}`);
  }
}

function readConcurrency(text: string | undefined): number {
  if (text === undefined) return usualConcurrency;
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= mostConcurrency) return count;
  throw new CheckProblem(exitCodes.usage, `--concurrency may be a whole number from 1 to ${mostConcurrency}`);
}

/** One line for what stopped the check; a defect goes on to where defects are told. */
function tellWhy(error: unknown, output: string, { terminal, signal }: Surroundings): ExitCode {
  terminal.progress('');
  if (signal.aborted) terminal.tell(`mailproof: stopped; ${goOn}`);
  else if (error instanceof CheckProblem) {
    terminal.tell(`mailproof: ${error.message}`);
    return error.exitCode;
  } else if (error instanceof ListProblem) {
    terminal.tell(`mailproof: ${error.message}`);
    return exitCodes.usage;
  } else if (error instanceof MailproofError) {
    terminal.tell(`mailproof: ${describeFailure(error, output)}`);
    return exitCodes.environment;
  } else if (isTroubleOfTheDisk(error)) {
    terminal.tell(`mailproof: ${error.message}; ${goOn}`);
    return exitCodes.environment;
  }
  throw error;
}

function isTroubleOfTheDisk(error: unknown): error is Error {
  const codes = ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EISDIR', 'ENOTDIR', 'EIO'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
