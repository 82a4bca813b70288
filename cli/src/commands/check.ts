import { MailproofError } from '@mailproof/client';
import { ListProblem } from '@mailproof/client/lists';
import { defineCommand, type Surroundings } from '../command.ts';
import { mostConcurrency, readOrder, usualConcurrency, usualUrl } from '../check/check-order.ts';
import { CheckProblem, describeFailure, howToResume } from '../check/check-problem.ts';
import { runCheck } from '../check/run-check.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';

export const checkCommand = defineCommand({
  name: 'check',
  takes: 'LIST|- --output FILE [--column NAME|N] [--yes] [--json]',
  summary: 'check a list of addresses through the API of a running service',
  options: {
    output: { type: 'text', placeholder: 'FILE', meaning: 'file to write the checked list to' },
    column: {
      type: 'text',
      placeholder: 'NAME|N',
      meaning: 'column with the addresses, by heading or number (default: detected)',
    },
    yes: { type: 'flag', meaning: 'spend credits without asking' },
    json: { type: 'flag', meaning: 'print the summary as one JSON object' },
    force: { type: 'flag', meaning: 'overwrite the output if it exists' },
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
    concurrency: {
      type: 'text',
      placeholder: 'N',
      meaning: `tasks of 100 addresses to run at once, 1 to ${mostConcurrency} (default: ${usualConcurrency})`,
    },
  },
  notes: [
    'LIST is CSV (comma or semicolon), TSV, or one address per line; - is standard input. Its columns, order and quoting stay as they are. The columns email_status, email_score, email_safe_to_send, email_deliverable and email_reason are added.',
    'If the run is interrupted or killed, start it again with the same arguments. It resumes where it stopped, and nothing is charged twice. If the file changed, the run will not resume. Until it is done, its progress is in FILE.mailproof-journal.',
    'The API key cannot be passed as an argument, because other users of the machine can read arguments.',
  ],
  examples: [
    'mailproof check people.csv --output checked.csv',
    'mailproof check people.csv --column "Work email" --output checked.csv --yes',
    'cut -f3 people.tsv | mailproof check - --output checked.csv --yes --json',
  ],
  words: { required: ['LIST|-'], most: 1 },
  async run({ options, positionals, ...surroundings }) {
    try {
      return await runCheck(await readOrder(options, positionals[0] ?? '-', surroundings), surroundings);
    } catch (error) {
      return tellWhy(error, options.output ?? '', surroundings);
    }
  },
});

/** Prints one line for what stopped the check; an internal error is thrown on. */
function tellWhy(error: unknown, output: string, { terminal, signal }: Surroundings): ExitCode {
  terminal.progress('');
  if (signal.aborted) terminal.tell(`mailproof: Stopped. ${howToResume}`);
  else if (error instanceof CheckProblem) {
    terminal.tell(`mailproof: ${error.message}`);
    return error.exitCode;
  } else if (error instanceof ListProblem) {
    terminal.tell(`mailproof: ${error.message}`);
    return exitCodes.usage;
  } else if (error instanceof MailproofError) {
    terminal.tell(`mailproof: ${describeFailure(error, output)}`);
    return exitCodes.environment;
  } else if (isDiskError(error)) {
    terminal.tell(`mailproof: ${error.message}. ${howToResume}`);
    return exitCodes.environment;
  }
  throw error;
}

function isDiskError(error: unknown): error is Error {
  const codes = ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EISDIR', 'ENOTDIR', 'EIO'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
