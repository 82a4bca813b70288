import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Client } from '@mailproof/client';
import type { Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { createAnswerBook, type AnswerBook } from './answer-book.ts';
import { agreeOnCost } from './agree-on-cost.ts';
import { askService, enter } from './ask-service.ts';
import { CheckProblem } from './check-problem.ts';
import { findLayout } from './find-layout.ts';
import { openJournal, readJournal } from './journal.ts';
import type { JournalHead } from './journal-entry.ts';
import { createProgress } from './progress.ts';
import type { ListFile } from './read-list.ts';
import { createStanding, type Standing } from './standing.ts';
import { presentSummary } from './summary.ts';
import { surveyList, type Survey } from './survey-list.ts';
import { exists, takeInput } from './take-input.ts';
import { writeOutput } from './write-output.ts';

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

/**
 * The story of a check: find how the list is written → survey it → agree on the cost → ask about what has no answer
 * yet → write the output. Whatever is known is in the journal beside the output before it is relied on, so the story
 * may break off anywhere and be told again from its beginning: what has been paid for is found, not bought.
 */
export async function runCheck(order: CheckOrder, surroundings: Surroundings): Promise<ExitCode> {
  const journalPath = `${order.output}.mailproof-journal`;
  if (!order.force && (await exists(order.output)) && !(await exists(journalPath)))
    throw new CheckProblem(exitCodes.usage, `${order.output} is there already; --force overwrites it`);
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
  terminal.progress('reading the list …');
  const survey = await surveyList(list);
  terminal.progress('');

  const answers = createAnswerBook(survey.addresses);
  const { standing, head, bytes } = await recall(journalPath, { order, list, survey, answers });
  if (!(await agreeOnCost({ order, list, survey, standing }, surroundings))) return exitCodes.usage;

  const journal = await openJournal(journalPath, bytes);
  try {
    if (bytes === 0) await journal.append({ kind: 'head', ...head });
    await ask({ order, list, survey, answers, journal, standing, run: head.run }, surroundings);
  } finally {
    await journal.close();
  }
  await writeOutput({ path: order.output, list, survey, answers });
  await rm(journalPath);
  await terminal.write(presentSummary({ order, survey, answers, standing }));
  return exitCodes.ok;
}

type Recalled = { head: JournalHead; bytes: number; standing: Standing };

/** What an earlier run left: its answers go into the book. A journal of something else is not touched. */
async function recall(
  path: string,
  {
    order,
    list,
    survey,
    answers,
  }: { order: CheckOrder; list: ListFile; survey: Survey; answers: AnswerBook },
): Promise<Recalled> {
  const { digest, addresses } = survey;
  const reading = createStanding(addresses);
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
  return { head, bytes, standing: reading.standing() };
}

function refuseOther(path: string, theirs: JournalHead, ours: JournalHead): void {
  const advice = `go on with what it was begun with, or remove ${path} to begin anew and pay anew`;
  const differs = (what: string) =>
    new CheckProblem(exitCodes.usage, `a check with this output was begun ${what}; ${advice}`);
  if (theirs.digest !== ours.digest) throw differs('with another list');
  if (theirs.column !== ours.column) throw differs('with another column');
  if (theirs.url !== ours.url) throw differs(`at ${theirs.url}`);
  if (theirs.addresses !== ours.addresses) throw differs('by another version of Mailproof');
}

async function ask(
  asking: Omit<Parameters<typeof askService>[0], 'client' | 'atOnce' | 'onAnswered'> & { order: CheckOrder },
  { terminal }: Surroundings,
): Promise<void> {
  const { order, survey, standing } = asking;
  if (standing.answered === survey.addresses) return;
  const progress = createProgress(
    { total: survey.addresses, before: standing.answered },
    { terminal, now: () => performance.now() },
  );
  const { client, atOnce } = order;
  await askService({ ...asking, client, atOnce, onAnswered: (answered) => progress.show(answered) });
  progress.end();
}
