import type { KeptAnswer } from '@mailproof/client/lists';

/** What a journal is about. A run goes on only where all of this is the same again. */
export type JournalHead = {
  /** Random; the idempotency keys of the run are made from it. */
  run: string;
  /** SHA-256 of the list. */
  digest: string;
  column: number;
  addresses: number;
  url: string;
};

/** A line of the journal. Chunk n is the addresses from 100 n on. */
export type JournalEntry =
  | ({ kind: 'head' } & JournalHead)
  | { kind: 'task'; chunk: number; id: string }
  | { kind: 'done'; chunk: number; credits: number; answers: KeptAnswer[] };

type AnswerTuple = [string, number | null, boolean | null, boolean | null, string];

export function writeEntry(entry: JournalEntry): string {
  if (entry.kind !== 'done') return JSON.stringify(entry);
  const answers = entry.answers.map(({ status, score, safeToSend, deliverable, reason }): AnswerTuple => [
    status,
    score,
    safeToSend,
    deliverable,
    reason,
  ]);
  return JSON.stringify({ ...entry, answers });
}

/** Nothing where it is no line of ours. */
export function readEntry(line: string): JournalEntry | undefined {
  const entry = parse(line);
  if (entry === undefined) return undefined;
  const { kind, chunk, id, credits, answers, run, digest, column, addresses, url } = entry;
  if (
    kind === 'head' &&
    isText(run) &&
    isText(digest) &&
    isText(url) &&
    isCount(column) &&
    isCount(addresses)
  )
    return { kind, run, digest, column, addresses, url };
  if (kind === 'task' && isCount(chunk) && isText(id)) return { kind, chunk, id };
  if (
    kind === 'done' &&
    isCount(chunk) &&
    isCount(credits) &&
    Array.isArray(answers) &&
    answers.every(isTuple)
  )
    return { kind, chunk, credits, answers: answers.map(fromTuple) };
  return undefined;
}

function fromTuple([status, score, safeToSend, deliverable, reason]: AnswerTuple): KeptAnswer {
  return { status, score, safeToSend, deliverable, reason };
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function isTuple(value: unknown): value is AnswerTuple {
  if (!Array.isArray(value) || value.length !== 5) return false;
  const [status, score, safeToSend, deliverable, reason] = value as unknown[];
  return (
    isText(status) &&
    isText(reason) &&
    (score === null || typeof score === 'number') &&
    [safeToSend, deliverable].every((flag) => flag === null || typeof flag === 'boolean')
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
