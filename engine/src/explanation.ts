import type { MailRoute, RouteFailure } from './dns/mail-route.ts';
import type { Contrast, Evidence, NoAnswerReason, ReadReply, SmtpPhase } from './evidence.ts';
import type { ReplyReason } from './replies/meaning.ts';
import type { SyntaxFault } from './syntax/address.ts';
import type { Verdict } from './verdict.ts';

/**
 * The reason for a verdict, in a form a program can act on and a person can read. Field names are those of the API
 * (`?explain=true`).
 */
export type Explanation = {
  /** The stage that decided. */
  stage: 'syntax' | 'lists' | 'dns' | 'smtp';
  /** A stable snake_case code; the list is in docs/reasons.md. */
  reason: string;
  retry: { advised: boolean; after_seconds?: number };
  /** The large provider's domain that was most likely meant, if this one is a slip away from it. */
  did_you_mean?: string;
  /** The domain is parked: its mail goes to a service that takes it for unused names. */
  parked?: true;
  /** The address is at a privacy relay, which forwards mail to a mailbox of its owner: real, not disposable. */
  is_relay?: true;
  /** A role that gets no bulk mail, such as `abuse`, `noreply` or `everyone`. */
  not_for_bulk?: true;
  /** The local part was made by a program for one message: BATV (`prvs=`), SRS, VERP, `bounce+…`. */
  is_machine?: true;
  /** When the mail host gave the answer, if that was before this request (ISO 8601). */
  asked_at?: string;
  /** The mail host that was asked; absent if none was. */
  mail_host?: string;
  replies: { phase: SmtpPhase; code: number; enhanced?: string; text: string }[];
  /** Milliseconds spent in each stage that was entered. */
  timings_ms: { dns?: number; smtp?: number; total: number };
};

export type Timings = Explanation['timings_ms'];
type Cause = Pick<Explanation, 'stage' | 'reason' | 'retry'>;
type Told = Omit<Explanation, 'replies' | 'timings_ms'>;

const never = { advised: false } as const;

/** Seconds after which another attempt may tell more, by the obstacle. */
const retryAfterSeconds = {
  deferred: 300,
  silent: 300,
  unreachable: 3_600,
  dns: 60,
  deadline: 60,
  blocked: 86_400,
} as const;

function retryIn(seconds: number): Explanation['retry'] {
  return { advised: true, after_seconds: seconds };
}

export function explain(evidence: Evidence, verdict: Verdict, timings: Timings): Explanation {
  const { mailbox, lists } = evidence;
  const told: Told = causeOf(evidence, verdict);
  const meant = providerMeant(evidence);
  if (meant !== undefined) told.did_you_mean = meant;
  if (lists.parked !== undefined) told.parked = lists.parked;
  if (lists.relay !== undefined) told.is_relay = lists.relay;
  if (lists.notForBulk !== undefined) told.not_for_bulk = lists.notForBulk;
  if (lists.machine !== undefined) told.is_machine = lists.machine;
  if (mailbox?.kind === 'answered' && mailbox.askedAt !== undefined)
    told.asked_at = new Date(mailbox.askedAt).toISOString();
  if (mailbox?.host !== undefined) told.mail_host = mailbox.host;
  return { ...told, replies: mailbox?.replies.map(presentReply) ?? [], timings_ms: timings };
}

/**
 * The shorter a name, the more living domains are a slip away from it: short names are suggested only if the domain
 * is dead or parked.
 */
const leastLettersOfLiving = 5;

function providerMeant({ lists, route }: Evidence): string | undefined {
  const { nearProvider, parked } = lists;
  if (nearProvider === undefined) return undefined;
  const isUnused = parked === true || route?.kind === 'refuses_mail';
  return isUnused || nearProvider.indexOf('.') >= leastLettersOfLiving ? nearProvider : undefined;
}

/** Explains a failure without a verdict: DNS gave no answer, or no mail host can be reached from here. */
export function explainUnavailable(evidence: Evidence, timings: Timings): Explanation {
  const { route, mailbox } = evidence;
  const unreachable = mailbox?.kind === 'no_answer' ? mailbox.reason : 'mail_port_blocked';
  const cause =
    route?.kind === 'undetermined'
      ? ({ stage: 'dns', reason: `dns_${route.failure}` } as const)
      : ({ stage: 'smtp', reason: unreachable } as const);
  return {
    ...cause,
    retry: retryIn(retryAfterSeconds.dns),
    replies: [],
    timings_ms: timings,
  };
}

/** Explains that the caller's deadline came before a verdict did. */
export function explainTimeout(stage: Explanation['stage'], timings: Timings): Explanation {
  return {
    stage,
    reason: 'deadline_reached',
    retry: retryIn(retryAfterSeconds.deadline),
    replies: [],
    timings_ms: timings,
  };
}

function causeOf(evidence: Evidence, verdict: Verdict): Cause {
  if (evidence.lists.denied) return { stage: 'lists', reason: 'operator_denied', retry: never };
  if (evidence.route?.kind === 'refuses_mail')
    return { stage: 'dns', reason: evidence.route.why, retry: never };
  if (verdict.status === 'spamtrap') return { stage: 'lists', reason: 'spamtrap_listed', retry: never };
  if (verdict.status === 'disposable') return { stage: 'lists', reason: 'disposable_listed', retry: never };
  if (evidence.lists.optedOut === true) return { stage: 'lists', reason: 'receiver_opted_out', retry: never };
  const { reason, retry } = smtpCause(evidence);
  return { stage: 'smtp', reason, retry };
}

function smtpCause({ mailbox }: Evidence): Pick<Cause, 'reason' | 'retry'> {
  if (mailbox === undefined) return { reason: 'not_asked', retry: never };
  if (mailbox.kind === 'no_answer') {
    if (lastingReasons.has(mailbox.reason)) return { reason: mailbox.reason, retry: never };
    const reason = mailbox.meaning?.reason ?? mailbox.reason;
    if (mailbox.retryAfterMs !== undefined)
      return { reason, retry: retryIn(Math.max(1, Math.ceil(mailbox.retryAfterMs / 1_000))) };
    const { silent, unreachable } = retryAfterSeconds;
    const otherwise = passingReasons.has(mailbox.reason) ? silent : unreachable;
    return { reason, retry: retryFor(mailbox.meaning?.label, otherwise) };
  }
  const { meaning, catchAll, contrast } = mailbox;
  if (contrast !== undefined) return causeByContrast[contrast];
  if (meaning.label !== 'accepted')
    return { reason: meaning.reason, retry: retryFor(meaning.label, undefined) };
  switch (catchAll.kind) {
    case 'yes':
      return { reason: 'accepts_every_address', retry: never };
    case 'no':
      return { reason: 'mailbox_accepted', retry: never };
    case 'undetermined':
      // A deferred random probe may be answered as soon as a deferred mailbox.
      return {
        reason: 'catch_all_undetermined',
        retry: retryFor(catchAll.meaning?.label, retryAfterSeconds.unreachable),
      };
  }
}

const causeByContrast: Record<Contrast, Pick<Cause, 'reason' | 'retry'>> = {
  like_made_up: { reason: 'refused_like_made_up', retry: never },
  unlike_made_up: { reason: 'refused_unlike_made_up', retry: never },
  same_as_made_up: { reason: 'said_of_made_up_too', retry: retryIn(retryAfterSeconds.unreachable) },
  not_compared: { reason: 'not_compared', retry: retryIn(retryAfterSeconds.silent) },
  contradictory: { reason: 'contradicts_itself', retry: retryIn(retryAfterSeconds.unreachable) },
};
/** Tomorrow the provider accepts everything as well, the operator's policy is the same, and so are the hosts. */
const lastingReasons: ReadonlySet<NoAnswerReason> = new Set<NoAnswerReason>([
  'provider_accepts_everything',
  'provider_policy',
  'hosts_take_no_mail',
  'no_host_offers_smtputf8',
]);

/** A host that was not there, fell silent or hung up may do better before long. */
const passingReasons: ReadonlySet<NoAnswerReason> = new Set<NoAnswerReason>([
  'mx_unreachable',
  'smtp_timeout',
  'connection_lost',
  'backup_accepts_everything',
]);

/** A settled mailbox is not asked again; a deferral soon, a block not before the day is over. */
function retryFor(label: string | undefined, otherwiseSeconds: number | undefined): Explanation['retry'] {
  if (label === 'greylisted_or_temporary') return retryIn(retryAfterSeconds.deferred);
  if (label === 'blocked_or_policy') return retryIn(retryAfterSeconds.blocked);
  return otherwiseSeconds === undefined ? never : retryIn(otherwiseSeconds);
}

function presentReply(reply: ReadReply): Explanation['replies'][number] {
  const { phase, code, enhanced, text } = reply;
  return enhanced === undefined ? { phase, code, text } : { phase, code, enhanced, text };
}

/**
 * Every reason an explanation may give. The texts for people are in `@mailproof/client`. A test of the console,
 * which shows them, holds them to this type: a reason without a text, or a text without a reason, does not compile.
 */
export type ExplanationReason =
  VerdictReason | RouteReason | NoAnswerReason | RestReason | ReplyReason | SyntaxFault;

type VerdictReason =
  | 'mailbox_accepted'
  | 'accepts_every_address'
  | 'catch_all_undetermined'
  | 'refused_like_made_up'
  | 'refused_unlike_made_up'
  | 'said_of_made_up_too'
  | 'not_compared'
  | 'contradicts_itself'
  | 'spamtrap_listed'
  | 'disposable_listed'
  | 'operator_denied'
  | 'receiver_opted_out'
  | 'not_asked'
  | 'deadline_reached'
  | 'internal_error';

type RouteReason = Extract<MailRoute, { kind: 'refuses_mail' }>['why'] | `dns_${RouteFailure}`;

/** Why a mail host is left alone; these replace `host_resting` if the cause is known. */
const restReasons = [
  'route_volume_spent',
  'no_route_open',
  'provider_throttles',
  'reputation_doubted',
  'host_defers',
  'host_unreachable',
  'host_silent',
  'provider_refuses_us',
  'provider_bans_us',
  'many_unknown',
] as const;

type RestReason = (typeof restReasons)[number];

/** Whether no host was asked because one is left alone: the advice then names the end of that rest. */
export function isRestReason(reason: string): boolean {
  return restReasons.some((one) => one === reason);
}
