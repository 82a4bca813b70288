import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { counted, grouped } from '../present/count.ts';
import { createAnswerTable, type AnswerTable } from './answer-table.ts';
import { agreeOnCost } from './agree-on-cost.ts';
import { askService, enter } from './ask-service.ts';
import type { CheckOrder } from './check-order.ts';
import { CheckProblem } from './check-problem.ts';
import { findLayout } from './find-layout.ts';
import { openJournal, readJournal } from './journal.ts';
import type { JournalHead } from './journal-entry.ts';
import { createProgressDisplay } from './progress-display.ts';
import type { ListFile } from './read-list.ts';
import { createProgressReader, type CheckProgress } from './check-progress.ts';
import { surveyList, type Survey } from './survey-list.ts';
import { exists, takeInput } from './take-input.ts';
import { writeOutput } from './write-output.ts';

/**
 * A check from start to end: find the layout of the list → count what it contains → agree on the cost → ask about
 * addresses without a result → write the output. Results are in the journal beside the output before they are relied
 * on, so a check may stop anywhere and be run again from the start: what has been paid for is found, not bought again.
 */
export async function runCheck(order: CheckOrder, surroundings: Surroundings): Promise<ExitCode> {
  const journalPath = `${order.output}.mailproof-journal`;
  if (!order.force && (await exists(order.output)) && !(await exists(journalPath)))
    throw new CheckProblem(exitCodes.usage, `${order.output} already exists. To overwrite it, add --force.`);
  const input = await takeInput(order.input, order.output, surroundings);
  try {
    return await checkList(order, { path: input.path, journalPath }, surroundings);
  } finally {
    await input.discard();
  }
}

async function checkList(
  order: CheckOrder,
  { path, journalPath }: { path: string; journalPath: string },
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { terminal, signal } = surroundings;
  const layout = await findLayout(path, { name: order.input, column: order.column });
  const list: ListFile = { path, layout, signal };
  terminal.progress('Reading the list …');
  const survey = await surveyList(list);
  terminal.progress('');

  const answers = createAnswerTable(survey.addresses);
  const { progress, head, bytes } = await recall(journalPath, { order, list, survey, answers });
  if (!(await agreeOnCost({ order, list, survey, progress }, surroundings))) return exitCodes.usage;

  const journal = await openJournal(journalPath, bytes);
  try {
    if (bytes === 0) await journal.append({ kind: 'head', ...head });
    await ask({ order, list, survey, answers, journal, progress, run: head.run }, surroundings);
  } finally {
    await journal.close();
  }
  await writeOutput({ path: order.output, list, survey, answers });
  await rm(journalPath);
  await terminal.write(presentSummary({ order, survey, answers, progress }));
  return exitCodes.ok;
}

type Recalled = { head: JournalHead; bytes: number; progress: CheckProgress };

/** What an earlier run left: its answers go into the table. The journal of another run is not touched. */
async function recall(
  path: string,
  {
    order,
    list,
    survey,
    answers,
  }: { order: CheckOrder; list: ListFile; survey: Survey; answers: AnswerTable },
): Promise<Recalled> {
  const { digest, addresses } = survey;
  const reading = createProgressReader(addresses);
  let head: JournalHead = {
    run: randomUUID(),
    digest,
    column: list.layout.column,
    addresses,
    url: order.url,
  };
  const bytes = await readJournal(path, (entry) => {
    if (entry.kind === 'head') {
      refuseOther(path, entry, head);
      head = { ...head, run: entry.run };
    }
    reading.take(entry);
    if (entry.kind === 'done') enter(answers, entry.chunk, entry.answers);
  });
  return { head, bytes, progress: reading.progress() };
}

function refuseOther(path: string, theirs: JournalHead, ours: JournalHead): void {
  const advice = `Use the same file and options as before, or remove ${path} to start over and pay again.`;
  const differs = (what: string) =>
    new CheckProblem(exitCodes.usage, `${what}, so the run will not resume. ${advice}`);
  if (theirs.digest !== ours.digest) throw differs('The file changed or is a different one');
  if (theirs.column !== ours.column) throw differs('The run was started with another column');
  if (theirs.url !== ours.url) throw differs(`The run was started at ${theirs.url}`);
  if (theirs.addresses !== ours.addresses)
    throw differs('The run was started by another version of Mailproof');
}

async function ask(
  asking: Omit<Parameters<typeof askService>[0], 'client' | 'atOnce' | 'onAnswered'> & { order: CheckOrder },
  { terminal }: Surroundings,
): Promise<void> {
  const { order, survey, progress } = asking;
  if (progress.answered === survey.addresses) return;
  const display = createProgressDisplay(
    { total: survey.addresses, before: progress.answered },
    { terminal, now: () => performance.now() },
  );
  const { client, atOnce } = order;
  await askService({ ...asking, client, atOnce, onAnswered: (answered) => display.show(answered) });
  display.end();
}

type Ended = { order: CheckOrder; survey: Survey; answers: AnswerTable; progress: CheckProgress };

/** What a check came to: in words, or as one JSON object. Statuses are counted by distinct address. */
function presentSummary({ order, survey, answers, progress }: Ended): string {
  const { rows, addresses, duplicates, blank, rejected } = survey;
  const statuses = Object.entries(answers.countByStatus()).sort(([, a], [, b]) => b - a);
  const credits = progress.credits();
  if (order.json) {
    const counts = { rows, addresses, duplicates, blank, rejected, statuses: Object.fromEntries(statuses) };
    return `${JSON.stringify({ ...counts, credits_used: credits, output: order.output })}\n`;
  }
  const width = Math.max(...statuses.map(([, count]) => grouped(count).length), 1);
  return [
    ...statuses.map(([status, count]) => {
      const percent = ((100 * count) / addresses).toFixed(1);
      return `${grouped(count).padStart(width)}  ${status} (${percent} %)`;
    }),
    `${counted(rows, 'row')}: ${counted(addresses, 'address', 'addresses')}, ${counted(duplicates, 'duplicate')}, ${grouped(blank)} blank, ${grouped(rejected)} not an address`,
    `${counted(credits, 'credit')} used. Written to ${order.output}`,
    '',
  ].join('\n');
}
