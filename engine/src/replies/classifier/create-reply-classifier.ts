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
  // By the very words: to read a reply costs far more than to look it up.
  const verbatim = createBoundedCache<ReplyMeaning>({ maxEntries: most });

  function read(reply: ReplyToClassify, parties: ReplyParties | undefined): ReplyMeaning {
    const normalised = normaliseReply(reply, parties);
    const key = keyOf(normalised);
    const remembered = known.peek(key);
    if (remembered !== undefined) return remembered;
    const meaning = meaningOf(normalised);
    known.set(key, meaning);
    return meaning;
  }

  return (reply, parties) => {
    if (isAcceptance(reply)) return { label: 'accepted', reason: 'accepted' };
    const key = verbatimKey(reply, parties);
    if (key === undefined) return { ...read(reply, parties) };
    const remembered = verbatim.get(key);
    if (remembered !== undefined) return { ...remembered };
    const meaning = read(reply, parties);
    verbatim.set(key, meaning);
    return { ...meaning };
  };
}

/** An address that reading a reply takes out as a whole, whatever its letters. */
const plainAddress = /^[a-z\d._-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){0,8}$/;
const notByItself = /(?<![\s<]|^)\t|\t(?![\s>]|$)/;
/** So short that nothing is cut off, with an address of any length in it. */
const shortCharacters = 1_000;

/**
 * The reply as it was said, with a tab for the recipient's address. It means the same of every recipient where it names
 * the address by itself, which is then no name of ours; of other replies nothing is remembered by their words.
 */
function verbatimKey(
  { code, enhanced, text, provider }: ReplyToClassify,
  parties: ReplyParties | undefined,
): string | undefined {
  if (parties === undefined || text.length > shortCharacters || text.includes('\t')) return undefined;
  const { sender, heloName, recipient } = parties;
  if (!text.includes(recipient) || !plainAddress.test(recipient)) return undefined;
  const senderDomain = sender.slice(sender.lastIndexOf('@') + 1);
  if (recipient.includes(heloName.toLowerCase()) || recipient.includes(senderDomain.toLowerCase()))
    return undefined;
  const words = text.replaceAll(recipient, '\t');
  if (notByItself.test(words)) return undefined;
  return [code, enhanced, provider, heloName, sender, words].join(' ');
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
