import type { BulkResultRecord } from '../bulk-task.ts';

/** What is kept of an answer: as much as the added columns tell. */
export type KeptAnswer = {
  status: string;
  score: number | null;
  safeToSend: boolean | null;
  deliverable: boolean | null;
  reason: string;
};

const wordCharactersMax = 64;

/** What the service told of an address; where its results do not have it, it took it for no address. */
export function keepAnswer(record: BulkResultRecord | undefined): KeptAnswer {
  if (record === undefined)
    return {
      status: 'rejected',
      score: null,
      safeToSend: null,
      deliverable: null,
      reason: 'rejected_by_service',
    };
  const score = record.overall_score;
  return {
    status: asWord(record.status),
    score: score !== undefined && score >= 0 && score <= 100 ? score : null,
    safeToSend: record.is_safe_to_send ?? null,
    deliverable: record.is_deliverable ?? null,
    reason: asWord(record.explanation?.reason ?? ''),
  };
}

/** The list is written a byte to a character, and a word of the service has no business to be long. */
function asWord(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, wordCharactersMax);
}
