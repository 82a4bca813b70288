import { reasonText as sentenceFor } from '@mailproof/engine';

/** A reason as a person reads it: the sentence, and the name that programs go by. */
export function reasonText(reason: string): string {
  const sentence = sentenceFor(reason);
  return sentence === undefined ? reason : `${sentence} (${reason})`;
}
