import { createBoundedCache } from '../../bounded-cache.ts';
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
  const known = createBoundedCache<ReplyMeaning>({ maxEntries: most });
  return (reply, parties) => {
    if (isAcceptance(reply)) return { label: 'accepted', reason: 'accepted' };
    const read = normaliseReply(reply, parties);
    const key = keyOf(read);
    const remembered = known.peek(key);
    if (remembered !== undefined) return { ...remembered };
    const meaning = meaningOf(read);
    known.set(key, meaning);
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
