import type { BulkResultRecord } from '@mailproof/client';

/** What is kept of an answer: as much as the added columns tell. */
export type KeptAnswer = {
  status: string;
  score: number | null;
  safeToSend: boolean | null;
  deliverable: boolean | null;
  reason: string;
};

export type AnswerBook = {
  set(number: number, answer: KeptAnswer): void;
  /** Nothing where there is no answer yet. */
  get(number: number): KeptAnswer | undefined;
  /** How many distinct addresses ended as what. */
  countByStatus(): Record<string, number>;
};

/** Words of the service are kept once each; a service that makes up ever new ones is not ours. */
const wordsMax = 65_535;
const wordCharactersMax = 64;

/** Keeps the answers by the number of the address, 8 bytes each. */
export function createAnswerBook(size: number): AnswerBook {
  const words = createWords();
  const status = new Uint16Array(size);
  const reason = new Uint16Array(size);
  const score = new Uint16Array(size);
  const flags = new Uint8Array(size);
  return {
    set(number, answer) {
      status[number] = words.idOf(answer.status);
      reason[number] = words.idOf(answer.reason);
      score[number] = answer.score === null ? 0 : Math.round(answer.score * 100) + 1;
      flags[number] = tri(answer.safeToSend) + 3 * tri(answer.deliverable);
    },
    get(number) {
      if ((status[number] ?? 0) === 0) return undefined;
      const [kept, both] = [score[number] ?? 0, flags[number] ?? 0];
      return {
        status: words.text(status[number]),
        score: kept === 0 ? null : (kept - 1) / 100,
        safeToSend: untri(both % 3),
        deliverable: untri(Math.floor(both / 3)),
        reason: words.text(reason[number]),
      };
    },
    countByStatus() {
      const counts: Record<string, number> = {};
      for (const id of status) if (id !== 0) counts[words.text(id)] = (counts[words.text(id)] ?? 0) + 1;
      return counts;
    },
  };
}

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

function createWords() {
  const ids = new Map<string, number>();
  const texts = [''];
  return {
    idOf(text: string): number {
      const known = ids.get(text);
      if (known !== undefined) return known;
      if (texts.length > wordsMax) throw new Error('the service answers with ever new words');
      ids.set(text, texts.length);
      return texts.push(text) - 1;
    },
    text: (id: number | undefined): string => texts[id ?? 0] ?? '',
  };
}

function tri(value: boolean | null): number {
  if (value === null) return 0;
  return value ? 2 : 1;
}

function untri(value: number): boolean | null {
  return value === 0 ? null : value === 2;
}
