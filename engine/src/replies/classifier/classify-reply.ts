/**
 * The meaning of a mail server's reply. Pure, total and deterministic; the story is the order of the questions:
 *
 *     class 2 → a complaint around a quoted reply → the provider's own meaning → patience → a lookup that failed →
 *     full → about us → about the mailbox → anything else → codes
 *
 * A verdict on the mailbox then gives way to an accusation beside it, and to facts known of the provider.
 *
 * The labels, as the corpora use them:
 * - `accepted`: 250, 251 or 252.
 * - `mailbox_not_exist`: the text names the recipient (or his domain) as unknown, invalid, moved or gone for good.
 * - `mailbox_disabled`: the mailbox is known and switched off: suspended, inactive, frozen, closed.
 * - `mailbox_full`: the mailbox is over its quota, in any class and under any code.
 * - `greylisted_or_temporary`: a 4xx without a complaint, greylisting, a rate of receiving, a busy server.
 * - `blocked_or_policy`: says nothing of the mailbox: block lists, reverse DNS, HELO, sender, SPF, relaying, rate
 *   (5xx), content, size, policy, the recipient's own filters. A 4xx that names such a complaint is one too.
 * - `other`: failures of the server or of the conversation, and replies that were not understood.
 *
 * A 4xx never condemns a mailbox, and a doubtful 5xx does not either. The worst mistake of this product is to call a
 * living mailbox dead.
 */
import { createBoundedCache } from '../../bounded-cache.ts';
import type { ReplyMeaning, ReplyParties, ReplyToClassify } from '../meaning.ts';
import { normaliseReply, type PlainReply, type NormalisedReply } from '../normalise-reply.ts';
import { hidesItsReasons } from '../providers.ts';
import { clientRules } from '../rules/about-the-client.ts';
import { senderRules } from '../rules/about-the-sender.ts';
import { accusationExceptions, accusations } from '../rules/accusations.ts';
import { allRules } from '../rules/all-rules.ts';
import { condemnsMailbox, matcherOf, prepareRule } from '../rules/rule.ts';

const preparedRules = allRules.map(prepareRule);
const complaintRules = new Set([...clientRules, ...senderRules]);
const complaints = preparedRules.filter(({ rule }) => complaintRules.has(rule));
const rulesAboutOthers = preparedRules.filter(({ rule }) => !isOfMailbox(rule));
const accuses = matcherOf(accusations);
const accusesNobody = matcherOf(accusationExceptions);

/**
 * Classifies a reply. With the parties of the conversation, a reply that names us and not the recipient condemns no
 * mailbox.
 */
export function classifyReply(reply: ReplyToClassify, parties?: ReplyParties): ReplyMeaning {
  return isAcceptance(reply)
    ? { label: 'accepted', reason: 'accepted' }
    : meaningOf(normaliseReply(reply, parties));
}

/**
 * Whether a reply accepts the recipient. Class comes before words: the text of an acceptance does not matter. No
 * other 2xx accepts a recipient.
 */
function isAcceptance({ code }: ReplyToClassify): boolean {
  return code >= 250 && code <= 252;
}

/** Applies the rules to a reply that accepts nothing. */
function meaningOf(read: NormalisedReply): ReplyMeaning {
  const { around } = read;
  // A host that asked another about our sender quotes its reply: the outer words say whom that concerns.
  const complaint = around && firstMatch(complaints, around);
  const meaning = complaint ??
    // Neither acceptance nor failure: another 2xx, a 3xx, or a code outside RFC 5321 section 4.2.1.
    firstMatch(preparedRules, read) ?? { label: 'other', reason: 'not_a_final_reply' };
  return withoutRashness(read, withoutAccusation(read, meaning));
}

function firstMatch(rules: typeof preparedRules, reply: PlainReply): ReplyMeaning | undefined {
  const found = rules.find(({ matches }) => matches(reply));
  return found && { label: found.rule.label, reason: found.rule.reason };
}

/** Meanings that a mailbox may be judged by. */
function isOfMailbox({ label, reason }: ReplyMeaning): boolean {
  return condemnsMailbox(label) || label === 'mailbox_full' || reason === 'unknown_for_now';
}

/** Lets an accusation outrank the words beside it; then only the rules that judge no mailbox are asked. */
function withoutAccusation(read: NormalisedReply, meaning: ReplyMeaning): ReplyMeaning {
  if (!isOfMailbox(meaning)) return meaning;
  if (accuses?.(read.words) !== true || accusesNobody?.(read.words) === true) return meaning;
  const other = firstMatch(rulesAboutOthers, read);
  return other === undefined || other.label === 'other'
    ? { label: 'blocked_or_policy', reason: 'speaks_of_us' }
    : other;
}

/**
 * Withholds a rash verdict: a reply about us is about us, and a gateway that defers on an inner "no such user" has
 * not decided.
 */
function withoutRashness(read: NormalisedReply, meaning: ReplyMeaning): ReplyMeaning {
  const saysUnknown = meaning.reason === 'user_unknown' || meaning.reason === 'unknown_for_now';
  if (read.namesUsAlone && (saysUnknown || condemnsMailbox(meaning.label))) {
    return { label: 'blocked_or_policy', reason: 'speaks_of_us' };
  }
  if (meaning.label === 'mailbox_not_exist' && hidesItsReasons(read.provider)) {
    return { label: 'blocked_or_policy', reason: 'unavailable_or_denied' };
  }
  if (meaning.reason === 'unknown_for_now' && hidesItsReasons(read.provider)) {
    return { label: 'greylisted_or_temporary', reason: 'deferred' };
  }
  if (read.outerClass !== 5 && condemnsMailbox(meaning.label)) {
    return {
      label: 'greylisted_or_temporary',
      reason: saysUnknown ? 'unknown_for_now' : 'deferred_by_gateway',
    };
  }
  return meaning;
}

/**
 * `classifyReply` for a caller that hears the same words over and over. A host refuses a thousand mailboxes in one
 * sentence, and only the address in it differs, which reading a reply takes out. The meaning of a sentence is
 * remembered, for a bounded number of sentences; the oldest goes first.
 */
export type ReplyClassifier = (reply: ReplyToClassify, parties?: ReplyParties) => ReplyMeaning;

export function createReplyClassifier(most: number): ReplyClassifier {
  const known = createBoundedCache<ReplyMeaning>({ maxEntries: most });
  // Keyed by the very words: reading a reply costs far more than looking it up.
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
 * Returns the reply as it was said, with a tab for the recipient's address. It means the same for every recipient if
 * it names the address by itself, which is then no name of ours. Other replies are not remembered by their words.
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

/** Returns everything that the rules look at. A tab can stand in none of it: words are parted by single spaces. */
function keyOf(read: NormalisedReply): string {
  const { outerClass, namesUsAlone, around } = read;
  return [plainKey(read), outerClass, namesUsAlone, around === undefined ? '' : plainKey(around)].join('\t');
}

/** `wordsAboutRecipient` follows from the words. */
function plainKey({ replyClass, code, enhanced, provider, words }: PlainReply): string {
  return [replyClass, code, enhanced, provider, words].join('\t');
}
