import type { KeptAnswer } from '@mailproof/client/lists';

export type AnswerTable = {
  set(number: number, answer: KeptAnswer): void;
  /** Nothing where there is no answer yet. */
  get(number: number): KeptAnswer | undefined;
  /** How many distinct addresses ended as what. */
  countByStatus(): Record<string, number>;
};

/** Words of the service are kept once each; a service that makes up ever new ones is not ours. */
const wordsMax = 65_535;

/** Keeps the answers by the number of the address, 8 bytes each. */
export function createAnswerTable(size: number): AnswerTable {
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

function createWords() {
  const ids = new Map<string, number>();
  const texts = [''];
  return {
    idOf(text: string): number {
      const known = ids.get(text);
      if (known !== undefined) return known;
      if (texts.length > wordsMax)
        throw new Error('the service answers with too many different statuses and reasons');
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
