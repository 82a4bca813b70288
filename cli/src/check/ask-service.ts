import { createHash } from 'node:crypto';
import { contractLimits, matchResults, type Client } from '@mailproof/client';
import { keepAnswer, type KeptAnswer } from '@mailproof/client/lists';
import { mapInOrder } from '../verify/map-in-order.ts';
import type { AnswerTable } from './answer-table.ts';
import type { Journal } from './journal.ts';
import { readList, type ListFile } from './read-list.ts';
import type { CheckProgress } from './check-progress.ts';
import { addressIn, type Survey } from './survey-list.ts';

/** Addresses that go into one task: those from 100 times its number on. */
type Chunk = { number: number; emails: string[] };

type Asking = {
  list: ListFile;
  survey: Survey;
  run: string;
  progress: CheckProgress;
  answers: AnswerTable;
  journal: Journal;
  client: Client;
  atOnce: number;
  onAnswered: (answered: number) => void;
};

/** Chunks may wait for a slower one before them, so more are begun than run side by side; times this. */
const windowPerSlot = 4;

/**
 * The second pass: asks the service about every address that has no answer yet, a hundred in a task, and keeps each task's
 * id and then its answers in the journal. The idempotency key of a task is made from the run and its addresses:
 * created again after a crash, it is the same task.
 */
export async function askService(asking: Asking): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, asking.list.signal]);
  let answered = asking.progress.answered;
  const inside = new Map<number, number>();
  const show = () =>
    asking.onAnswered(answered + [...inside.values()].reduce((sum, count) => sum + count, 0));
  const work = async (chunk: Chunk) => {
    await answerChunk(chunk, asking, {
      signal,
      onChecked: (count) => {
        inside.set(chunk.number, count);
        show();
      },
    });
    inside.delete(chunk.number);
    answered += chunk.emails.length;
    show();
  };
  const chunks = chunksToAsk(asking);
  try {
    const bounds = { atOnce: asking.atOnce, window: asking.atOnce * windowPerSlot };
    const asked = mapInOrder(chunks, work, bounds);
    while ((await asked.next()).done !== true);
  } finally {
    stop.abort(new Error('the check is over'));
    await chunks.return(undefined);
  }
}

async function* chunksToAsk({ list, survey, progress }: Asking): AsyncGenerator<Chunk> {
  let row = list.layout.hasHeader ? -1 : 0;
  let next = 0;
  let emails: string[] = [];
  for await (const rows of readList(list, survey.digest)) {
    for (const { cells } of rows) {
      const place = row < 0 ? undefined : survey.places.at(row);
      row += 1;
      // Numbers are given in the order of first spellings: any other row with this number is a duplicate.
      if (place?.kind !== 'address' || place.number !== next) continue;
      emails.push(addressIn(cells[list.layout.column] ?? ''));
      next += 1;
      if (emails.length < contractLimits.bulkEmails && next < survey.addresses) continue;
      const number = Math.floor((next - 1) / contractLimits.bulkEmails);
      if (!progress.isDone(number)) yield { number, emails };
      emails = [];
    }
  }
}

type Following = { signal: AbortSignal; onChecked: (count: number) => void };

async function answerChunk(
  { number, emails }: Chunk,
  { run, progress, answers, journal, client }: Asking,
  { signal, onChecked }: Following,
): Promise<void> {
  const { results, creditsUsed } = await client.runTask(emails, {
    idempotencyKey: keyOf(run, emails),
    taskId: progress.taskOf(number),
    explain: true,
    signal,
    onCreated: ({ task_id: id }) => journal.append({ kind: 'task', chunk: number, id }),
    onProgress: ({ count_checked: checked }) => onChecked(checked),
  });
  const kept = matchResults(emails, results).map(keepAnswer);
  await journal.append({ kind: 'done', chunk: number, credits: creditsUsed, answers: kept });
  progress.addCredits(creditsUsed);
  enter(answers, number, kept);
}

export function enter(answers: AnswerTable, chunk: number, kept: KeptAnswer[]): void {
  for (const [i, answer] of kept.entries()) answers.set(chunk * contractLimits.bulkEmails + i, answer);
}

function keyOf(run: string, emails: string[]): string {
  return `check-${createHash('sha256')
    .update(JSON.stringify([run, emails]))
    .digest('hex')}`;
}
