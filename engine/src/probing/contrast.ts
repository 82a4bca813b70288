import type { CatchAllAnswer, ReadReply } from '../evidence.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import { normaliseText } from '../replies/normalise-reply.ts';
import { defersAsUnknown, refusesWithoutReason } from '../replies/refusal-kinds.ts';
import { catchAllAfter } from './catch-all-lookups.ts';

/**
 * Contrast: what a mailbox and a made-up one of its domain are told in the same conversation. One answer alone may say
 * too little ("550 Rejected"); two that differ say that the host knows its mailboxes.
 *
 * But hosts exist that refuse every second recipient, or all of them after the first few, whoever they are. So nothing
 * is concluded from one pair. Where the plain answers leave a doubt, both are asked for again, each alone in a
 * transaction of its own, the made-up one first: only what comes out the same both times, and the mailbox last of all,
 * counts.
 *
 *     mailbox yes, made-up no   ▸ made-up no, mailbox yes   not a catch-all; whoever else was refused in the words that
 *                                                           the made-up one heard is no more real than that one
 *     mailbox no,  made-up yes  ▸ made-up yes, mailbox no   a mailbox that exists no longer takes mail
 *
 * All of it is pure. Replies about us, and the host's own troubles, are never compared.
 */

/** What one recipient was told: what it means, the form in which it is kept, and the very words, which may name it. */
export type Said = { meaning: ReplyMeaning; read: ReadReply; text: string; recipient: string };

/** To take out whom a reply names costs as much as all the rest of reading it: only where replies are compared. */
function areOfOneTemplate(one: Said, other: Said): boolean {
  return (
    templateOf({ ...one.read, text: one.text }, one.recipient) ===
    templateOf({ ...other.read, text: other.text }, other.recipient)
  );
}

/** Two replies of one template differ in nothing but whom they name. */
export function templateOf(
  { code, enhanced, text }: { code: number; enhanced: string | undefined; text: string },
  recipient: string,
): string {
  const localPart = recipient.slice(0, recipient.lastIndexOf('@'));
  const nameless = [recipient, localPart].reduce(
    (words, name) =>
      words.replace(
        new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(name)}(?![\\p{L}\\p{N}])`, 'giu'),
        ' addr ',
      ),
    text,
  );
  return `${code} ${enhanced ?? ''}${normaliseText(nameless)}`;
}

/** Whether a refusal of the made-up one says neither that it is unknown nor anything about us: a contrast may tell. */
export function leavesDoubt({ meaning, read }: Said): boolean {
  if (defersAsUnknown(meaning)) return true;
  return read.code >= 500 && (isWithoutReason({ meaning, read }) || otherReasons.has(meaning.reason));
}

/** Reasons that are given for a made-up recipient only where the host knows its mailboxes: those beside it were taken. */
const otherReasons: ReadonlySet<string> = new Set([
  'mailbox_disabled',
  'relaying_denied',
  'domain_not_served',
]);

/** Refused for good without a reason, and not for the state that the host or the network is in (RFC 3463 x.3, x.4). */
export function isWithoutReason({ meaning, read }: Pick<Said, 'meaning' | 'read'>): boolean {
  return refusesWithoutReason(meaning) && read.code >= 500 && !/^5\.[34]\./.test(read.enhanced ?? '');
}

export function saidYes({ meaning }: Said): boolean {
  return meaning.label === 'accepted';
}

/** Mailboxes that hosts take before they look at anything else, as Exim does by default with postmaster. */
const privileged: ReadonlySet<string> = new Set(['postmaster', 'abuse', 'mailer-daemon']);

export function isOrdinary({ localPart }: { localPart: string }): boolean {
  return !privileged.has(localPart.toLowerCase());
}

/** The replies to the made-up one, and to a mailbox that was taken, in the order in which they were asked for. */
type Compared = { madeUp: readonly Said[]; mailbox: readonly Said[] };

/** What yes, no, yes says about the domain. */
export function catchAllByContrast({ madeUp, mailbox }: Compared): CatchAllAnswer {
  const [alone] = madeUp.slice(-1);
  if (alone === undefined) return { kind: 'undetermined', meaning: undefined };
  // Asked for alone, it was taken after all.
  if (saidYes(alone)) return catchAllAfter(alone.meaning);
  const isRefused = madeUp.every((said) => leavesDoubt(said) || said.meaning.label === 'mailbox_not_exist');
  if (mailbox.length > 1 && mailbox.every(saidYes) && isRefused) return { kind: 'no', from: 'contrast' };
  return { kind: 'undetermined', meaning: madeUp[0]?.meaning };
}

/** Whether a mailbox was refused both times as the made-up one was taken both times. */
export function isUnlike({ madeUp, mailbox }: Compared): boolean {
  const [first, ...again] = mailbox;
  if (first === undefined || again.length === 0 || madeUp.length === 0 || !madeUp.every(saidYes))
    return false;
  return mailbox.every((said) => isWithoutReason(said) && areOfOneTemplate(said, first));
}

/** Whether a mailbox was refused in the words that the made-up one heard when it was alone. */
export function isLike(mailbox: Said, madeUp: readonly Said[]): boolean {
  const [alone] = madeUp.slice(-1);
  return isWithoutReason(mailbox) && alone !== undefined && areOfOneTemplate(mailbox, alone);
}
