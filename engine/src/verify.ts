import type { Clock } from './clock.ts';
import { findPosture, type PostureParts } from './dns/find-posture.ts';
import type { MailRoute } from './dns/mail-route.ts';
import type { Evidence, MailboxEvidence, NoAnswerReason } from './evidence.ts';
import {
  explain,
  explainTimeout,
  explainUnavailable,
  type Explanation,
  type Timings,
} from './explanation.ts';
import type { Asker } from './fair-queue.ts';
import type { ListLookup, Lists } from './lists/load-lists.ts';
import type { Patience } from './patience.ts';
import type { PolicyBook } from './politeness/policy.ts';
import type { ControlMailboxes } from './probing/control-mailboxes.ts';
import type { Prober } from './probing/prober.ts';
import type { Address, SyntaxFault } from './syntax/address.ts';
import { parseAddress } from './syntax/parse-address.ts';
import { judge, type Verdict } from './verdict.ts';

/**
 * The story of one verification: syntax → lists → DNS → SMTP → verdict.
 *
 * Each stage adds evidence; the judge alone decides what it means. Events of the outside world (a dead domain, a
 * silent host, a refusal) end as values. Only an aborted signal and our own defects throw.
 */
export type Outcome =
  | { kind: 'verdict'; verdict: Verdict; explanation: Explanation }
  | { kind: 'invalid_address'; fault: SyntaxFault }
  /** DNS gave no answer, or no mail host can be reached from here: no verdict is possible. */
  | { kind: 'unavailable'; explanation: Explanation }
  /** The caller's deadline came first. */
  | { kind: 'timeout'; explanation: Explanation };

export type Recalled = Outcome & { kind: 'verdict' };

export type VerifyParts = RecallParts &
  PostureParts & {
    policies: PolicyBook;
    prober: Prober;
    controls: Pick<ControlMailboxes, 'askAt'>;
  };

type RecallParts = {
  clock: Clock;
  lists: ListLookup;
  /** Mail routes as DNS gives them, or as it gave them not long ago. */
  mailRoutes: {
    find(address: Address, request: VerifyRequest): Promise<MailRoute>;
    /** Returns a remembered route without asking DNS. */
    recall(address: Address): MailRoute | undefined;
  };
};

/** A caller's patience, and its account if other callers may have to wait for it. */
export type VerifyRequest = Patience & {
  asker?: Asker;
  /** Whether the mail host must be asked, even if it answered a moment ago. */
  isFresh?: boolean | undefined;
};

/** Default: a caller is waiting (single). */
const unnamedAsker: Asker = { urgency: 'single', account: '' };

export async function verify(email: string, parts: VerifyParts, request: VerifyRequest): Promise<Outcome> {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') return { kind: 'invalid_address', fault: parsed.fault };
  const { address } = parsed;
  const watch = new Watch(parts.clock);

  const listed = parts.lists.find(address);
  if (listed.denied) return conclude({ address, lists: listed }, watch);

  const route = await parts.mailRoutes.find(address, request);
  watch.note('dns');
  const known = withRoute(listed, route, { address, lists: parts.lists });
  if (route.kind === 'refuses_mail' || isOffLimits(known)) return conclude(known, watch);
  if (known.lists.optedOut === true) return conclude(known, watch);
  if (route.kind === 'undetermined')
    return watch.isPast(request.deadline) ? timeOut('dns', watch) : unavailable(known, watch);

  const mailbox = await parts.controls.askAt(
    parts.policies.policyFor(route.first.name).group,
    () =>
      parts.prober.ask(
        { address, route, asker: request.asker ?? unnamedAsker, isFresh: request.isFresh },
        request,
      ),
    request,
  );
  watch.note('smtp');
  if (mailbox.kind === 'no_answer' && watch.isPast(request.deadline)) return timeOut('smtp', watch);
  if (cannotBeAsked(mailbox)) return unavailable({ ...known, mailbox }, watch);
  if (!takesEveryAddress(mailbox)) return conclude({ ...known, mailbox }, watch);
  const posture = await findPosture(address.host, parts, request);
  return conclude({ ...known, mailbox, posture }, watch);
}

/** Tells the same story if all of it is known already: lists and DNS decide, and neither has to be asked. */
export function recall(address: Address, parts: RecallParts): Recalled | undefined {
  const listed = parts.lists.find(address);
  if (listed.denied) return undefined;
  const route = parts.mailRoutes.recall(address);
  if (route === undefined) return undefined;
  const known = withRoute(listed, route, { address, lists: parts.lists });
  return isOffLimits(known) ? conclude(known, new Watch(parts.clock)) : undefined;
}

/**
 * Tells the same story up to DNS, for callers that may learn of the domain and nothing of its mailboxes.
 * Entries of the operator's lists that name a single address, or its hash, do not count. The route is absent if the
 * operator denied the domain, and undetermined if DNS did not answer in time.
 */
export async function lookUp(
  address: Address,
  {
    lists: { byDomain: lists },
    mailRoutes,
  }: Pick<RecallParts, 'mailRoutes'> & { lists: Pick<Lists, 'byDomain'> },
  request: VerifyRequest,
): Promise<Evidence> {
  const listed = lists.find(address);
  if (listed.denied) return { address, lists: listed };
  return withRoute(listed, await mailRoutes.find(address, request), { address, lists });
}

function takesEveryAddress(mailbox: MailboxEvidence): boolean {
  return (
    mailbox.kind === 'answered' && mailbox.meaning.label === 'accepted' && mailbox.catchAll.kind === 'yes'
  );
}

/** Whether no prober can ask, which says nothing of the mailbox. */
function cannotBeAsked(mailbox: MailboxEvidence): boolean {
  if (mailbox.kind === 'answered') return false;
  return ourOwnReasons.has(mailbox.reason);
}

const ourOwnReasons: ReadonlySet<NoAnswerReason> = new Set<NoAnswerReason>([
  'mail_port_blocked',
  'no_prober',
  'egress_closed',
  'identity_unproven',
]);

/** Whether the address is at a spam trap or a throw-away domain: its mail hosts are not contacted. */
function isOffLimits({ lists }: Evidence): boolean {
  return lists.spamtrap || lists.disposable;
}

function conclude(evidence: Evidence, watch: Watch): Recalled {
  const verdict = judge(evidence);
  return { kind: 'verdict', verdict, explanation: explain(evidence, verdict, watch.timings()) };
}

function timeOut(stage: Explanation['stage'], watch: Watch): Outcome {
  return { kind: 'timeout', explanation: explainTimeout(stage, watch.timings()) };
}

function unavailable(evidence: Evidence, watch: Watch): Outcome {
  return { kind: 'unavailable', explanation: explainUnavailable(evidence, watch.timings()) };
}

/**
 * Adds the route. A throw-away service, or one that parks names, shows in its mail host even if the domain is new to
 * the lists.
 */
function withRoute(
  listed: Evidence['lists'],
  route: MailRoute,
  { address, lists }: { address: Address; lists: ListLookup },
): Evidence & { route: MailRoute } {
  const hosts = route.kind === 'takes_mail' ? route.mxRecords : [];
  // One mail host whose owner does not want to be asked is enough: which of them would answer is not known.
  const optedOut = lists.hasOptedOut(address.host) || hosts.some((host) => lists.hasOptedOut(host));
  if (hosts.length === 0 && !optedOut) return { address, lists: listed, route };
  const found: Evidence['lists'] = {
    ...listed,
    disposable: listed.disposable || hosts.some((host) => lists.isDisposableMailHost(host, address)),
  };
  if (hosts.some((host) => lists.isParkedMailHost(host))) found.parked = true;
  if (optedOut) found.optedOut = true;
  return { address, lists: found, route };
}

class Watch {
  private readonly clock: Clock;
  private readonly startedAt: number;
  private enteredAt: number;
  private readonly stages: { dns?: number; smtp?: number } = {};

  constructor(clock: Clock) {
    this.clock = clock;
    this.startedAt = clock.now();
    this.enteredAt = this.startedAt;
  }

  isPast(deadline: number): boolean {
    return this.clock.now() >= deadline;
  }

  /** Gives the stage that has just ended all the time since the one before it. */
  note(stage: 'dns' | 'smtp'): void {
    const now = this.clock.now();
    this.stages[stage] = Math.round(now - this.enteredAt);
    this.enteredAt = now;
  }

  timings(): Timings {
    return { ...this.stages, total: Math.round(this.clock.now() - this.startedAt) };
  }
}
