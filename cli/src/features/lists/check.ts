import type { Account, ListRecord } from '@mailproof/client';
import { clientOptions, ServiceProblem, tellProblems } from '../../api/connection.ts';
import { defineCommand, exitCodes, type ExitCode, type Surroundings } from '../../command.ts';
import { counted, grouped } from '../../present/text.ts';
import { agreeOnCost, describeFound, readOrder, type CheckOrder } from './check-order.ts';
import { countsOf, statusesOf } from './present-list.ts';
import { createProgressDisplay } from './progress-display.ts';
import { refuseToOverwrite, saveDownload } from './save-download.ts';
import { takeInput, uploadList } from './upload-list.ts';

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
    'LIST is CSV, text with one address per line, or .xlsx; - is standard input. Its columns and order stay as they are. The columns email_status, email_score, email_safe_to_send, email_deliverable, email_reason and email_repaired are added; email_did_you_mean is added if a domain looks mistyped.',
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

/**
 * A check from start to end: upload → agree on the cost → start → follow → download. The service keeps the list, and
 * the same file leads to the same list. So a check may stop anywhere and start again: paid results are found, not
 * bought again.
 */
async function runCheck(order: CheckOrder, surroundings: Surroundings): Promise<ExitCode> {
  await refuseToOverwrite(order.output, order.force);
  const input = await takeInput(order.input, order.output, surroundings);
  try {
    return await checkList(order, input.path, surroundings);
  } finally {
    await input.discard();
  }
}

async function checkList(order: CheckOrder, path: string, surroundings: Surroundings): Promise<ExitCode> {
  const { client, output } = order;
  const { terminal, signal } = surroundings;
  terminal.progress('Uploading the list …');
  // Asked first: a key that is not known is told before a large file is sent.
  const account = await client.account({ signal });
  const found = await uploadList(path, order, { account, signal });
  terminal.progress('');
  const started = await startList(found, { order, account }, surroundings);
  if (started === undefined) return exitCodes.usage;
  const ended = await followList(started, order, surroundings);
  await saveDownload({ listId: ended.list_id, output, signal }, client);
  await terminal.write(presentSummary(ended, order));
  return exitCodes.ok;
}

type Agreement = { order: CheckOrder; account: Account };

/** Returns undefined if the cost was not agreed on. Then the list is deleted and nothing was spent. */
async function startList(
  list: ListRecord,
  { order, account }: Agreement,
  surroundings: Surroundings,
): Promise<ListRecord | undefined> {
  const { lists } = order.client;
  const { terminal, signal } = surroundings;
  for (const line of describeFound(list, account)) terminal.tell(line);
  if (list.state !== 'surveyed') return list;
  if (await agreeOnCost(list, order, surroundings)) return await lists.start(list.list_id, { signal });
  await lists.remove(list.list_id, { signal });
  return undefined;
}

async function followList(
  { list_id: id, checked: before }: ListRecord,
  { client }: CheckOrder,
  { terminal, signal }: Surroundings,
): Promise<ListRecord> {
  const display = createProgressDisplay({ before }, { terminal, now: () => performance.now() });
  const ended = await client.lists.wait(id, { signal, onProgress: (list) => display.show(list) });
  display.end();
  if (ended.state === 'completed') return ended;
  throw new ServiceProblem(
    exitCodes.environment,
    `The list was cancelled. For what was checked until then, run mailproof lists download ${id} --output FILE`,
  );
}

/** Presents the result in words, or as one JSON object. Statuses are counted by distinct address. */
function presentSummary(list: ListRecord, { json, output }: CheckOrder): string {
  const { rows, addresses, duplicates, blank, rejected, repaired, credits_used: credits } = list;
  const statuses = statusesOf(list);
  if (json) {
    const counts = { rows, addresses, duplicates, blank, rejected, repaired };
    const ended = { statuses: Object.fromEntries(statuses), credits_used: credits, output };
    return `${JSON.stringify({ list_id: list.list_id, ...counts, ...ended })}\n`;
  }
  const width = Math.max(...statuses.map(([, count]) => grouped(count).length), 1);
  return [
    ...statuses.map(([status, count]) => {
      const percent = ((100 * count) / addresses).toFixed(1);
      return `${grouped(count).padStart(width)}  ${status} (${percent} %)`;
    }),
    countsOf(list),
    `${counted(credits, 'credit')} used. Written to ${output}`,
    '',
  ].join('\n');
}
