import { readOrder } from '../check/check-order.ts';
import { runCheck } from '../check/run-check.ts';
import { defineCommand } from '../command.ts';
import { tellProblems } from '../lists/list-problem.ts';
import { clientOptions } from '../lists/open-client.ts';

const howToGoOn = 'To continue, run the same command again. Nothing is charged twice.';

export const checkCommand = defineCommand({
  name: 'check',
  takes: 'LIST|- --output FILE [--column NAME|N] [--yes] [--json]',
  summary: 'check a list of addresses through the API of a running service',
  options: {
    output: {
      type: 'text',
      placeholder: 'FILE',
      meaning:
        'file to write the checked list to; .xlsx and .jsonl choose these formats, anything else is CSV',
    },
    column: {
      type: 'text',
      placeholder: 'NAME|N',
      meaning: 'column with the addresses, by heading or number (default: detected)',
    },
    split: { type: 'flag', meaning: 'if a cell holds several addresses, give each its own row' },
    yes: { type: 'flag', meaning: 'spend credits without asking' },
    json: { type: 'flag', meaning: 'print the summary as one JSON object' },
    force: { type: 'flag', meaning: 'overwrite the output if it exists' },
    ...clientOptions,
  },
  notes: [
    'LIST is CSV, text with one address per line, or .xlsx; - is standard input. Its columns and order stay as they are. The columns email_status, email_score, email_safe_to_send, email_deliverable, email_reason and email_repaired are added; email_did_you_mean where a domain looks mistyped.',
    'The list runs in the service. If this command is interrupted or killed, start it again with the same file: it finds the list, and nothing is charged twice, for 24 hours. A file that changed is a new list. To see, cancel or delete lists, run mailproof lists.',
    'The API key cannot be passed as an argument, because other users of the machine can read arguments.',
  ],
  examples: [
    'mailproof check people.csv --output checked.csv',
    'mailproof check people.xlsx --column "Work email" --output checked.xlsx --yes',
    'cut -f3 people.tsv | mailproof check - --output checked.csv --yes --json',
  ],
  words: { required: ['LIST|-'], most: 1 },
  run: ({ options, positionals, ...surroundings }) =>
    tellProblems(
      async () => runCheck(await readOrder(options, positionals[0] ?? '-', surroundings), surroundings),
      surroundings,
      howToGoOn,
    ),
});
