import { isAcceptance, meaningOf } from './classify-reply.ts';
import type { ReplyMeaning, ReplyToClassify } from '../meaning.ts';
import { normaliseReply, type NormalisedReply } from '../normalise-reply.ts';

/**
 * `classifyReply` for somebody who hears the same words over and over: a host refuses a thousand mailboxes in one
 * sentence, and only the address in it differs, which reading a reply takes out. What the rules said of a sentence once
 * is remembered, for a bounded number of sentences; the oldest goes first.
 */
export type ReplyClassifier = (reply: ReplyToClassify) => ReplyMeaning;

export function createReplyClassifier(most: number): ReplyClassifier {
  const known = new Map<string, ReplyMeaning>();
  return (reply) => {
    if (isAcceptance(reply)) return { label: 'accepted', reason: 'accepted' };
    const read = normaliseReply(reply);
    const key = keyOf(read);
    const remembered = known.get(key);
    if (remembered !== undefined) return { ...remembered };
    const meaning = meaningOf(read);
    known.set(key, meaning);
    const [oldest = key] = known.keys();
    if (known.size > most) known.delete(oldest);
    return { ...meaning };
  };
}

/** All that the rules look at. The words come last, because only they may hold a space. */
function keyOf({ replyClass, outerClass, code, enhanced, provider, words }: NormalisedReply): string {
  return `${replyClass} ${outerClass} ${code} ${enhanced ?? '-'} ${provider ?? '-'} ${words}`;
}
