import type { CatchAllAnswer, Contrast, ReadReply } from '../evidence.ts';
import { defersAsUnknown, refusesWithoutReason, type ReplyMeaning } from '../replies/meaning.ts';
import { normaliseText } from '../replies/normalise-reply.ts';
import type { CanonicalHost } from '../syntax/address.ts';

/**
 * The only place in which the replies of a mail host become knowledge: a transcript in, a conclusion out. Pure,
 * without a socket, a clock or a policy; `conclude.test.ts` is its table.
 *
 * 1. A reply is about the host that gave it. A backup host that takes everything decides nothing.
 * 2. A reason that names the mailbox decides alone. A refusal without a reason decides only if it survives an exchange
 *    of places in a new conversation.
 * 3. A "yes" is worth as much as the "no" that the same host gave to a made-up recipient.
 * 4. The same "full" or "disabled" for a mailbox and a made-up recipient describes the host.
 * 5. Doubt costs a question, never a guess; and at most two more conversations.
 *
 * Hosts exist that refuse every second recipient of a conversation, all after the first few, or always the first. So
 * a difference between two recipients counts only under three conditions (`isShown`, `isLikeMadeUp`,
 * `isUnlikeMadeUp`). The recipient in question was the first of a conversation and was refused. Another was accepted
 * after it there. And in some conversation the first recipient was accepted.
 */

/** A recipient that was named, and the reply to it. */
export type Line = {
  /** A number for each conversation. */
  readonly conversation: number;
  /** 1 for the first recipient of its conversation. */
  readonly place: number;
  readonly recipient: 'target' | 'made_up' | 'ordinary';
  readonly domain: CanonicalHost;
  /** The recipient as it went over the wire. */
  readonly email: string;
  readonly said: Said;
};

/** A reply: its meaning, the form in which it is kept, and its very words. */
export type Said = { meaning: ReplyMeaning; read: ReadReply; text: string };

/** The known answer about made-up recipients of the domain at this host. */
export type KnownCatchAll = {
  readonly answer: CatchAllAnswer & { kind: 'yes' | 'no' };
  /** The template of the refusal that a contrast proved to mean "unknown". */
  readonly refusedAs?: string | undefined;
};

export type Facts = {
  readonly known: KnownCatchAll | undefined;
  /** The words of this host are a provider's own: "full" needs no made-up recipient beside it. */
  readonly hasOwnWords: boolean;
};

/** The remedy of a doubt: which recipient has to be the first of a new conversation. */
export type Doubt =
  | { readonly first: 'made_up'; readonly then?: undefined }
  /** The target has to follow: the answer of another mailbox would not do. */
  | { readonly first: 'made_up'; readonly then: 'target' }
  | { readonly first: 'target'; readonly then: 'made_up' | 'ordinary' }
  /** Another mailbox of the domain has to be asked for after the made-up one; its answer decides for this one too. */
  | { readonly first: 'another' }
  /** The made-up recipient was not heard: any conversation will do. */
  | { readonly first: 'anyone' };

export type Conclusion = {
  readonly meaning: ReplyMeaning;
  readonly catchAll: CatchAllAnswer;
  readonly contrast?: Contrast;
  readonly replies: ReadReply[];
  readonly doubt?: Doubt;
};

const undetermined: CatchAllAnswer = { kind: 'undetermined', meaning: undefined };

/** Concludes what the lines of a domain say of one recipient; undefined if it was not answered. */
export function conclude(email: string, lines: readonly Line[], facts: Facts): Conclusion | undefined {
  const own = lines.filter((line) => line.recipient !== 'made_up' && line.email === email);
  const line = decisiveOf(own);
  if (line === undefined) return undefined;
  const { meaning } = line.said;
  const catchAll = catchAllBy(lines, facts);
  const found = { meaning, catchAll, replies: repliesOf(line, own, lines) };
  if (contradictsItself(own)) return { ...found, contrast: 'contradictory' };
  if (wasAccepted(line)) return { ...found, ...doubtOfAccepted(email, lines, catchAll) };
  if (isStateOfMailbox(meaning)) return { ...found, ...compareState(own, lines, facts) };
  if (isWithoutReason(line.said)) return { ...found, ...compareRefusal(own, lines, facts) };
  return found;
}

/** Returns whether a made-up recipient is taken too, by the replies heard, else by the known fact. */
function catchAllBy(lines: readonly Line[], { known }: Facts): CatchAllAnswer {
  const heard = heardOfMadeUp(lines);
  return heard === undefined || heard.kind === 'undetermined'
    ? (known?.answer ?? heard ?? undetermined)
    : heard;
}

/** Returns what the replies to made-up recipients say of the domain at this host; undefined if there are none. */
export function heardOfMadeUp(lines: readonly Line[]): CatchAllAnswer | undefined {
  const first = lines.find(isMadeUp);
  if (first === undefined) return undefined;
  const isTaken = lines.some((line) => isMadeUp(line) && wasAccepted(line));
  const isUnknown = lines.some((line) => isMadeUp(line) && line.said.meaning.label === 'mailbox_not_exist');
  if (isTaken && !isUnknown) return { kind: 'yes', from: 'random_probe' };
  if (isUnknown && !isTaken) return { kind: 'no', from: 'random_probe' };
  if (!isTaken && isShown(lines)) return { kind: 'no', from: 'contrast' };
  return { kind: 'undetermined', meaning: isTaken ? undefined : first.said.meaning };
}

/** Whether a made-up recipient was refused as the first of a conversation, and an ordinary one accepted after it. */
function isShown(lines: readonly Line[]): boolean {
  const refused = lines.filter(isMadeUp);
  return (
    refused.every(({ said }) => leavesDoubt(said)) &&
    refused.some((line) => line.place === 1 && isFollowedByOrdinary(line, lines)) &&
    firstPlaceAccepts(lines)
  );
}

/** Returns the template in which a made-up recipient was refused as the first of its conversation. */
export function templateOfRefusal(lines: readonly Line[]): string | undefined {
  const line = lines.find((one) => isMadeUp(one) && one.place === 1 && !wasAccepted(one));
  return line === undefined ? undefined : templateOf(line);
}

type Compared = { contrast?: Contrast; doubt?: Doubt };

/** Looks for evidence that is missing before an accepted mailbox counts. */
function doubtOfAccepted(email: string, lines: readonly Line[], catchAll: CatchAllAnswer): Compared {
  if (catchAll.kind !== 'undetermined') return nothing;
  const madeUp = lines.filter(isMadeUp);
  if (madeUp.length === 0) return { doubt: { first: 'anyone' } };
  const isTried = madeUp.some(({ place }) => place === 1);
  if (isTried || !madeUp.every(({ said }) => leavesDoubt(said))) return nothing;
  if (isOrdinary(email)) return { doubt: { first: 'made_up' } };
  return lines.some(isOrdinaryAccepted) ? { doubt: { first: 'another' } } : nothing;
}

const nothing: Compared = {};

/**
 * Compares a state. "Full" and "disabled" describe the mailbox only if a made-up recipient does not hear the same. A
 * made-up recipient that was refused without a reason may owe that to its place: then places are exchanged.
 */
function compareState(own: readonly Line[], lines: readonly Line[], { hasOwnWords }: Facts): Compared {
  const states = own.filter(({ said }) => isStateOfMailbox(said.meaning));
  const label = states[0]?.said.meaning.label;
  const beside = lines.filter((line) => isMadeUp(line) && own.some((one) => isBeside(one, line)));
  if (beside.some(({ said }) => said.meaning.label === label)) return { contrast: 'same_as_made_up' };
  if (hasOwnWords || states.some((state) => beside.some((line) => isBeside(state, line) && isTelling(line))))
    return nothing;
  if (beside.length === 0) return { contrast: 'not_compared', doubt: { first: 'anyone' } };
  if (!beside.some((line) => line.place === 1))
    return { contrast: 'not_compared', doubt: { first: 'made_up', then: 'target' } };
  if (!beside.every(({ said }) => leavesDoubt(said)) || !isRepeatedAfter(beside, states))
    return { contrast: 'not_compared' };
  if (states.some(({ place }) => place === 1)) return nothing;
  return { contrast: 'not_compared', doubt: { first: 'target', then: 'made_up' } };
}

function isBeside(one: Line, other: Line): boolean {
  return one.conversation === other.conversation;
}

/** Whether the reply to a made-up recipient shows that the host looks at the recipient. */
function isTelling(line: Line): boolean {
  return wasAccepted(line) || line.said.meaning.label === 'mailbox_not_exist';
}

/** Whether the mailbox heard its state after a made-up recipient that was the first of its conversation. */
function isRepeatedAfter(madeUp: readonly Line[], states: readonly Line[]): boolean {
  return madeUp.some((line) => line.place === 1 && states.some((state) => isBeside(line, state)));
}

/** Compares a refusal without a reason with the replies to a made-up recipient. */
function compareRefusal(own: readonly Line[], lines: readonly Line[], facts: Facts): Compared {
  const catchAll = catchAllBy(lines, facts);
  if (catchAll.kind === 'yes') return compareWithTaken(own, lines);
  const refusedAs = catchAll.kind === 'no' ? (facts.known?.refusedAs ?? templateOfRefusal(lines)) : undefined;
  if (refusedAs !== undefined) return compareWithRefused(own, lines, refusedAs);
  const isAlike = lines.some((line) => isMadeUp(line) && own.every((one) => areAlike(one, line)));
  const isTried = lines.some((line) => isMadeUp(line) && line.place === 1);
  return isAlike && !isTried && lines.some(isOrdinaryAccepted) ? { doubt: { first: 'another' } } : nothing;
}

/** Compares a refusal at a domain that takes made-up recipients. */
function compareWithTaken(own: readonly Line[], lines: readonly Line[]): Compared {
  if (!own.every((line) => areAlike(line, own[0]))) return nothing;
  const firstRefused = own.find((line) => line.place === 1 && isFollowedBy(isMadeUp, line, lines));
  if (firstRefused === undefined) return { doubt: { first: 'target', then: 'made_up' } };
  if (firstPlaceAccepts(lines)) return { contrast: 'unlike_made_up' };
  return lines.some((line) => isMadeUp(line) && line.place === 1) ? nothing : { doubt: { first: 'made_up' } };
}

/** Compares a refusal at a domain that refuses made-up recipients in this template. */
function compareWithRefused(own: readonly Line[], lines: readonly Line[], refusedAs: string): Compared {
  if (!own.every((line) => templateOf(line) === refusedAs)) return nothing;
  if (own.some((line) => line.place === 1 && isFollowedByOrdinary(line, lines)))
    return { contrast: 'like_made_up' };
  return { doubt: { first: 'target', then: 'ordinary' } };
}

/** Returns the first line whose label decides, else the first of all. */
function decisiveOf(own: readonly Line[]): Line | undefined {
  return own.find(({ said }) => decisiveLabels.has(said.meaning.label)) ?? own[0];
}

const decisiveLabels: ReadonlySet<string> = new Set([
  'accepted',
  'mailbox_not_exist',
  'mailbox_full',
  'mailbox_disabled',
]);

/** Whether a host said two things of one mailbox of which at most one is true. */
function contradictsItself(own: readonly Line[]): boolean {
  if (own.length === 1) return false;
  const labels = new Set(own.map(({ said }) => said.meaning.label).filter((one) => decisiveLabels.has(one)));
  return labels.size > 1;
}

/** Returns the decisive reply, then the others about the mailbox and the made-up one as they were heard. */
function repliesOf(line: Line, own: readonly Line[], lines: readonly Line[]): ReadReply[] {
  if (lines.length === 1) return [line.said.read];
  const replies = [line.said.read];
  for (const one of lines)
    if (one !== line && (isMadeUp(one) || own.includes(one))) replies.push(one.said.read);
  return replies;
}

function isMadeUp({ recipient }: Line): boolean {
  return recipient === 'made_up';
}

export function wasAccepted({ said }: Pick<Line, 'said'>): boolean {
  return said.meaning.label === 'accepted';
}

export function isStateOfMailbox({ label }: ReplyMeaning): boolean {
  return label === 'mailbox_full' || label === 'mailbox_disabled';
}

/** Mailboxes that hosts take before they look at anything else, as Exim does by default with postmaster. */
const privileged: ReadonlySet<string> = new Set(['postmaster', 'abuse', 'mailer-daemon']);

function isOrdinary(email: string): boolean {
  return !privileged.has(email.slice(0, email.lastIndexOf('@')).toLowerCase());
}

export function isOrdinaryAccepted(line: Line): boolean {
  return !isMadeUp(line) && wasAccepted(line) && isOrdinary(line.email);
}

function isFollowedByOrdinary(line: Line, lines: readonly Line[]): boolean {
  return isFollowedBy(isOrdinaryAccepted, line, lines);
}

/** Whether a recipient of this kind was accepted after the line in its conversation. */
function isFollowedBy(isKind: (line: Line) => boolean, line: Line, lines: readonly Line[]): boolean {
  return lines.some(
    (one) =>
      one.conversation === line.conversation && one.place > line.place && isKind(one) && wasAccepted(one),
  );
}

/** Whether the first recipient of some conversation was accepted: the host does not refuse every first one. */
function firstPlaceAccepts(lines: readonly Line[]): boolean {
  return lines.some((line) => line.place === 1 && wasAccepted(line));
}

function areAlike(one: Line, other: Line | undefined): boolean {
  return other !== undefined && templateOf(one) === templateOf(other);
}

/** Returns the template of a reply: two replies of one template differ only in the recipient that they name. */
export function templateOf({ said, email }: Pick<Line, 'said' | 'email'>): string {
  const { code, enhanced } = said.read;
  const localPart = email.slice(0, email.lastIndexOf('@'));
  const nameless = [email, localPart].reduce(
    (words, name) =>
      words.replace(
        new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(name)}(?![\\p{L}\\p{N}])`, 'giu'),
        ' addr ',
      ),
    said.text,
  );
  return `${code} ${enhanced ?? ''}${normaliseText(nameless)}`;
}

/** Whether the refusal of a made-up recipient neither calls it unknown nor speaks of us: a contrast may tell. */
function leavesDoubt({ meaning, read }: Said): boolean {
  if (defersAsUnknown(meaning)) return true;
  return read.code >= 500 && (isWithoutReason({ meaning, read }) || otherReasons.has(meaning.reason));
}

/** Reasons that are given for a made-up recipient only if the host knows its mailboxes. */
const otherReasons: ReadonlySet<string> = new Set([
  'mailbox_disabled',
  'relaying_denied',
  'domain_not_served',
]);

/**
 * Whether a reply refuses for good without a reason, and not for the state of the host or the network (RFC 3463 x.3,
 * x.4).
 */
export function isWithoutReason({ meaning, read }: Pick<Said, 'meaning' | 'read'>): boolean {
  return refusesWithoutReason(meaning) && read.code >= 500 && !/^5\.[34]\./.test(read.enhanced ?? '');
}
