import { isAcceptance, meaningOf } from './classify-reply.ts';
import type { ReplyMeaning, ReplyParties, ReplyToClassify } from '../meaning.ts';
import { normaliseReply, type PlainReply, type NormalisedReply } from '../normalise-reply.ts';

/**
 * `classifyReply` for somebody who hears the same words over and over: a host refuses a thousand mailboxes in one
 * sentence, and only the address in it differs, which reading a reply takes out. What the rules said of a sentence once
 * is remembered, for a bounded number of sentences; the oldest goes first.
 */
export type ReplyClassifier = (reply: ReplyToClassify, parties?: ReplyParties) => ReplyMeaning;

export function createReplyClassifier(most: number): ReplyClassifier {
  const known = new Map<string, ReplyMeaning>();
  return (reply, parties) => {
    if (isAcceptance(reply)) return { label: 'accepted', reason: 'accepted' };
    const read = normaliseReply(reply, parties);
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

/** All that the rules look at. A tab can stand in none of it: words are parted by single spaces. */
function keyOf(read: NormalisedReply): string {
  const { outerClass, namesUsAlone, around } = read;
  return [plainKey(read), outerClass, namesUsAlone, around === undefined ? '' : plainKey(around)].join('\t');
}

/** `wordsAboutRecipient` follows from the words. */
function plainKey({ replyClass, code, enhanced, provider, words }: PlainReply): string {
  return [replyClass, code, enhanced, provider, words].join('\t');
}
