import type { Contrast, Evidence, MailboxEvidence } from './evidence.ts';
import type { MailRoute } from './dns/mail-route.ts';
import { scoreOf } from './score.ts';

/**
 * The only judge. Evidence in, verdict out, no clock, no network, no memory.
 *
 * The rows below stand in the order of the verdict table (docs/architecture.md): proof outranks
 * suspicion, and the first row that holds wins. Field names are those of the API, so that a verdict
 * goes to the wire as it is; a field without evidence is absent, never `false`.
 */

type Common = {
  email: string;
  username: string;
  domain: string;
  is_valid_syntax: true;
  is_disposable: boolean;
  is_role_account: boolean;
  is_free_email: boolean;
  verification_mode: 'power';
};

type MailRouteFields = { mx_accepts_mail: boolean; mx_records: string[] };

type MailboxFields = {
  overall_score: number;
  is_safe_to_send: boolean;
  can_connect_smtp: boolean;
  has_inbox_full: boolean;
  is_deliverable: boolean;
  is_catch_all: boolean;
  is_disabled: boolean;
  is_spamtrap: boolean;
};

/** The mailbox was asked for, or the domain proved to take no mail at all: every field is known. */
export type AskedVerdict = Common &
  MailRouteFields &
  MailboxFields & { status: 'safe' | 'invalid' | 'disabled' | 'inbox_full' | 'catch_all' | 'role_account' };

/** A list settled it before any mail host was contacted. */
export type ListedVerdict = Common &
  Partial<MailRouteFields> & {
    status: 'spamtrap' | 'disposable';
    overall_score: number;
    is_safe_to_send: false;
    is_spamtrap: boolean;
  };

export type UnknownVerdict = Common & Partial<MailRouteFields> & { status: 'unknown' };

export type Verdict = AskedVerdict | ListedVerdict | UnknownVerdict;
export type VerdictStatus = Verdict['status'];

/** Statuses that are charged for. Everything else is free. */
export const conclusiveStatuses: ReadonlySet<VerdictStatus> = new Set<VerdictStatus>([
  'safe',
  'invalid',
  'disabled',
  'disposable',
  'inbox_full',
  'catch_all',
  'role_account',
  'spamtrap',
]);

export function judge(evidence: Evidence): Verdict {
  const { lists, route, mailbox } = evidence;
  if (route?.kind === 'refuses_mail' || isUndeliverable(mailbox)) return asked(evidence, 'invalid');
  if (lists.spamtrap) return listed(evidence, 'spamtrap');
  if (lists.disposable) return listed(evidence, 'disposable');
  if (mailbox?.kind !== 'answered') return unknown(evidence);
  if (mailbox.contrast !== undefined) return judgeContrast(evidence, mailbox.contrast);
  switch (mailbox.meaning.label) {
    case 'mailbox_not_exist':
      return asked(evidence, 'invalid');
    case 'mailbox_disabled':
      return asked(evidence, 'disabled');
    case 'mailbox_full':
      return asked(evidence, 'inbox_full');
    case 'accepted':
      return judgeAccepted(evidence, mailbox);
    case 'greylisted_or_temporary':
    case 'blocked_or_policy':
    case 'other':
      return unknown(evidence);
  }
}

/** Whether every mail host proved, before the mailbox was named, that it cannot deliver to the address. */
function isUndeliverable(mailbox: MailboxEvidence | undefined): boolean {
  if (mailbox?.kind !== 'no_answer') return false;
  return mailbox.reason === 'hosts_take_no_mail' || mailbox.reason === 'no_host_offers_smtputf8';
}

/** Judges the reply about the mailbox by other replies of the same host. */
function judgeContrast(evidence: Evidence, contrast: Contrast): Verdict {
  switch (contrast) {
    case 'like_made_up':
      return asked(evidence, 'invalid');
    case 'unlike_made_up':
      return asked(evidence, 'disabled');
    case 'same_as_made_up':
    case 'not_compared':
    case 'contradictory':
      return unknown(evidence);
  }
}

function judgeAccepted(evidence: Evidence, mailbox: MailboxEvidence & { kind: 'answered' }): Verdict {
  switch (mailbox.catchAll.kind) {
    case 'yes':
      return asked(evidence, 'catch_all');
    case 'no':
      return asked(evidence, evidence.lists.role ? 'role_account' : 'safe');
    case 'undetermined':
      return unknown(evidence);
  }
}

function asked(evidence: Evidence, status: AskedVerdict['status']): AskedVerdict {
  const deliverable = status === 'safe' || status === 'role_account' || status === 'catch_all';
  return {
    ...common(evidence),
    status,
    overall_score: scoreOf(status, evidence),
    is_safe_to_send: status === 'safe' || (status === 'role_account' && evidence.lists.notForBulk !== true),
    is_deliverable: deliverable,
    can_connect_smtp: evidence.mailbox?.kind === 'answered',
    has_inbox_full: status === 'inbox_full',
    is_catch_all: status === 'catch_all',
    is_disabled: status === 'disabled',
    is_spamtrap: evidence.lists.spamtrap,
    ...(routeTaking(evidence) ?? { mx_accepts_mail: false, mx_records: [] }),
  };
}

/**
 * Returns the fields of the route. A domain whose mail hosts take nothing for the address is as good as one without
 * any.
 */
function routeTaking({ route, mailbox }: Evidence): MailRouteFields | undefined {
  if (route?.kind !== 'takes_mail' || isUndeliverable(mailbox)) return undefined;
  return { mx_accepts_mail: true, mx_records: [...route.mxRecords] };
}

function listed(evidence: Evidence, status: ListedVerdict['status']): ListedVerdict {
  return {
    ...common(evidence),
    status,
    overall_score: scoreOf(status, evidence),
    is_safe_to_send: false,
    is_spamtrap: status === 'spamtrap',
    ...routeFields(evidence.route),
  };
}

function unknown(evidence: Evidence): UnknownVerdict {
  return { ...common(evidence), status: 'unknown', ...routeFields(evidence.route) };
}

function common({ address, lists }: Evidence): Common {
  return {
    email: address.email,
    username: address.username,
    domain: address.domain,
    is_valid_syntax: true,
    is_disposable: lists.disposable,
    is_role_account: lists.role,
    is_free_email: lists.free,
    verification_mode: 'power',
  };
}

function routeFields(route: MailRoute | undefined): Partial<MailRouteFields> {
  if (route?.kind !== 'takes_mail') return {};
  return { mx_accepts_mail: true, mx_records: [...route.mxRecords] };
}
