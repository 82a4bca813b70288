import { contractLimits, type Client } from '@mailproof/client';
import { failureOf, type Failure } from '../api/failure.ts';
import { answerFrom, type ListAnswer } from './list-answer.ts';

/** A list that is being asked about. `answers` is filled in as they come. */
export type ListRun = {
  addresses: readonly string[];
  answers: (ListAnswer | undefined)[];
  resumeKey: string;
  name: string;
};

export type RunParts = {
  client: Pick<Client, 'verifyMany'>;
  /** Awaited for each batch of a hundred as soon as it is whole. */
  saveBatch(batch: number, answers: ListAnswer[]): Promise<void>;
  onProgress(answered: number): void;
  /** Resolves when it is worth trying again; rejects where the run is stopped meanwhile. */
  untilConnected(signal: AbortSignal): Promise<void>;
};

type RunEnd = { kind: 'done' } | { kind: 'stopped' } | { kind: 'failed'; failure: Failure };

/**
 * Asks about every address that has no answer yet, in whole batches: what a task holds never changes, so its
 * idempotency key does not either, and a run that is begun again finds its tasks and pays for none twice. A lost
 * connection or a service that fails for the moment is waited out; what cannot be waited out ends the run.
 */
export async function runList(run: ListRun, parts: RunParts, signal: AbortSignal): Promise<RunEnd> {
  for (;;) {
    const left = numbersLeft(run);
    if (left.length === 0) return { kind: 'done' };
    try {
      await askAbout(left, { run, parts, signal });
    } catch (error) {
      if (signal.aborted) return { kind: 'stopped' };
      const failure = failureOf(error);
      if (!passesByItself(failure)) return { kind: 'failed', failure };
      try {
        await parts.untilConnected(signal);
      } catch {
        return { kind: 'stopped' };
      }
    }
  }
}

type Asking = { run: ListRun; parts: RunParts; signal: AbortSignal };

async function askAbout(numbers: number[], { run, parts, signal }: Asking): Promise<void> {
  const before = run.addresses.length - numbers.length;
  const emails = numbers.map((number) => run.addresses[number] ?? '');
  const answers = parts.client.verifyMany(emails, {
    resumeKey: run.resumeKey,
    name: run.name,
    explain: true,
    signal,
    onProgress: ({ answered }) => parts.onProgress(before + answered),
  });
  const batches = new Map<number, (ListAnswer | undefined)[]>();
  for await (const answer of answers) {
    const number = numbers[answer.index] ?? -1;
    const index = Math.floor(number / contractLimits.bulkEmails);
    const batch = batches.get(index) ?? emptyBatch(index, run);
    batches.set(index, batch);
    batch[number % contractLimits.bulkEmails] = answerFrom(answer);
    const whole = batch.filter((one) => one !== undefined);
    if (whole.length < batch.length) continue;
    batches.delete(index);
    await parts.saveBatch(index, whole);
    enterBatch(run.answers, index, whole);
  }
}

/** Answers enter the run batch by batch, so that what has none is always whole batches. */
export function enterBatch(
  answers: (ListAnswer | undefined)[],
  batch: number,
  whole: readonly ListAnswer[],
): void {
  for (const [i, answer] of whole.entries()) answers[batch * contractLimits.bulkEmails + i] = answer;
}

function emptyBatch(batch: number, { addresses }: ListRun): undefined[] {
  const length = Math.min(contractLimits.bulkEmails, addresses.length - batch * contractLimits.bulkEmails);
  return Array.from({ length }, () => undefined);
}

function numbersLeft({ addresses, answers }: ListRun): number[] {
  return Array.from(addresses.keys()).filter((number) => answers[number] === undefined);
}

/** No answer, or a failure of the service: both pass. A refusal is an answer and stays the same. */
function passesByItself({ status }: Failure): boolean {
  return status === undefined || status >= 500;
}
