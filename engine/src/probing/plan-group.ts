import type { SmtpPhase } from '../evidence.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Command } from '../smtp/command.ts';
import type { PendingProbe } from './pending-probe.ts';

/**
 * Chooses what a conversation says next: the commands that may leave together, and whom each reply is for.
 *
 * A group never names more recipients than may still be refused, so that even the worst answer to all of
 * it stays within the limits. Recipients of one domain share a transaction, because
 * some hosts take one domain at a time; the next domain follows after RSET in the same group.
 */
export type Step =
  | { kind: 'rset' | 'mail'; phase: SmtpPhase; command: Command }
  | { kind: 'target'; phase: SmtpPhase; command: Command; probe: PendingProbe }
  | { kind: 'random_probe'; phase: SmtpPhase; command: Command; probe: PendingProbe };

/** What a conversation may still do, and where it stands. */
export type Standing = {
  /** Recipients that may still be named. */
  recipientsLeft: number;
  /** Refusals that may still be provoked by the host's policy. */
  refusalsLeft: number;
  /** Refusals after which this host is known to hang up; what it leaves unanswered is asked again elsewhere. */
  refusalsTaken: number;
  /** The transaction that is open, by `transactionOf`. */
  open: string | undefined;
  recipientsInTransaction: number;
  recipientsPerTransaction: number;
  /** Probes whose random probe the host put off into a transaction of its own. */
  owedRandomProbes: PendingProbe[];
};

type PlanParts = {
  mailFrom: string;
  /** Whether nobody knows or is finding out whether this domain takes a made-up address. */
  needsRandomProbe(domain: CanonicalHost): boolean;
  /** Takes on the question for a random probe. */
  claimRandomProbe(domain: CanonicalHost): void;
  randomLocalPart(domain: CanonicalHost): string;
};

/** Probes that go into one transaction: one domain, and either all or none in need of SMTPUTF8. */
function transactionOf({ address }: PendingProbe): string {
  return address.needsSmtputf8 ? `utf8 ${address.host}` : address.host;
}

/** The steps to say, none when nothing more may be said; and the transaction that will be open after them. */
type Plan = { steps: Step[]; after: Pick<Standing, 'open' | 'recipientsInTransaction'> };

/** Takes probes out of `pending` for the next group. */
export function planGroup(pending: PendingProbe[], standing: Standing, parts: PlanParts): Plan {
  const steps: Step[] = [];
  const now = { ...standing };
  const most = Math.min(standing.recipientsLeft, standing.refusalsLeft);
  const enough = Math.min(most, standing.refusalsTaken);
  for (const probe of standing.owedRandomProbes.splice(0, most))
    steps.push(...nameRandomProbe(probe, now, parts));
  for (let named = steps.length; named < enough;) {
    const index = nextIndex(pending, now.open);
    const probe = pending[index];
    if (probe === undefined) break;
    const withRandomProbe = parts.needsRandomProbe(probe.address.host);
    // A target without its random probe would be half an answer; the next conversation has room for both.
    if (withRandomProbe && named + 2 > most && (named > 0 || standing.open !== undefined)) break;
    pending.splice(index, 1);
    steps.push(...nameTarget(probe, now, parts));
    if (withRandomProbe) {
      parts.claimRandomProbe(probe.address.host);
      steps.push(...nameRandomProbe(probe, now, parts));
    }
    named += withRandomProbe ? 2 : 1;
  }
  return { steps, after: { open: now.open, recipientsInTransaction: now.recipientsInTransaction } };
}

/** The first probe of the open transaction, or else the first of all. */
function nextIndex(pending: PendingProbe[], open: string | undefined): number {
  return Math.max(
    0,
    pending.findIndex((probe) => transactionOf(probe) === open),
  );
}

function nameTarget(probe: PendingProbe, now: Standing, parts: PlanParts): Step[] {
  const opening = openFor(probe, now, parts);
  return [...opening, { kind: 'target', phase: 'rcpt', command: rcpt(probe.address), probe }];
}

function nameRandomProbe(probe: PendingProbe, now: Standing, parts: PlanParts): Step[] {
  const opening = openFor(probe, now, parts);
  const command = rcpt({ ...probe.address, localPart: parts.randomLocalPart(probe.address.host) });
  return [...opening, { kind: 'random_probe', phase: 'random_rcpt', command, probe }];
}

/** What has to be said before one more recipient of this transaction can be named. */
function openFor(probe: PendingProbe, now: Standing, { mailFrom: from }: PlanParts): Step[] {
  const transaction = transactionOf(probe);
  if (now.open === transaction && now.recipientsInTransaction < now.recipientsPerTransaction) {
    now.recipientsInTransaction += 1;
    return [];
  }
  const mail: Step = {
    kind: 'mail',
    phase: 'mail',
    command: { verb: 'MAIL', from, smtputf8: probe.address.needsSmtputf8 },
  };
  const isFirst = now.open === undefined;
  now.open = transaction;
  now.recipientsInTransaction = 1;
  return isFirst ? [mail] : [{ kind: 'rset', phase: 'rset', command: { verb: 'RSET' } }, mail];
}

function rcpt({ localPart, host, needsSmtputf8: smtputf8 }: PendingProbe['address']): Command {
  return { verb: 'RCPT', localPart, host, smtputf8 };
}
