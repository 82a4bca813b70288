import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { MailRoute } from '../dns/mail-route.ts';
import { waitFor, type Patience } from '../patience.ts';
import type { MailboxEvidence } from '../evidence.ts';
import type { Asker } from '../fair-queue.ts';
import { emptyNamespace, type MemoryNamespace } from '../memory.ts';
import type { Limits } from '../limits.ts';
import type { PolicyBook } from '../politeness/policy.ts';
import type { Address } from '../syntax/address.ts';
import { parseAddress } from '../syntax/parse-address.ts';
import type { Prober } from './prober.ts';

/**
 * Living mailboxes of the operator's own, which show that a provider has gone wrong: on 14 December 2020 Gmail
 * answered "no such user" for existing mailboxes, to everyone, for hours.
 *
 *     believed ──▶ a control mailbox is refused as unknown: in doubt ──▶ none is, and one is accepted: believed
 *
 * They are asked for while their provider is asked for other mailboxes, every `controlEveryMs` at most. While it is
 * in doubt, its "no such mailbox" is not believed. Other answers change nothing.
 */
export type ControlMailboxes = {
  /** Asks for a mailbox at a group of hosts. Believes a "no such mailbox" only while the group is not in doubt. */
  askAt(group: string, ask: () => Promise<MailboxEvidence>, patience: Patience): Promise<MailboxEvidence>;
  /** The groups that are in doubt. */
  doubted(): string[];
  /** Ends the checks under way, and no other begins. */
  stop(): void;
};

type ControlParts = {
  limits: Pick<Limits, 'controlEveryMs' | 'controlWaitMs' | 'verificationMs'>;
  policies: PolicyBook;
  prober: Prober;
  /** Addresses by the group of their mail hosts. */
  controls: ReadonlyMap<string, readonly string[]>;
  clock: Clock;
  mailRoutes: { find(address: Address, patience: Patience): Promise<MailRoute> };
  memory?: MemoryNamespace;
  /** Called once when a doubt begins, and once when it ends. */
  onProblem(message: string): void;
};

type Asked = { group: string; ask: () => Promise<MailboxEvidence>; patience: Patience };

type ControlAnswer = 'accepted' | 'refused' | 'elsewhere' | 'nothing';

const asker: Asker = { urgency: 'single', account: 'control mailboxes' };

/** A doubt without confirmation for a day is forgotten: the next question has the control mailboxes asked for first. */
const doubtMs = 86_400_000;

/** The most groups; there are fewer providers with control mailboxes than that. */
const groupsKept = 1_000;

export function createControlMailboxes(parts: ControlParts): ControlMailboxes {
  const { clock, limits, controls, memory = emptyNamespace } = parts;
  const stopped = new AbortController();
  const doubts = createBoundedCache<true>({ clock, maxEntries: groupsKept });
  const checkedAt = new Map<string, number>();
  const toldElsewhere = new Set<string>();
  const underWay = new Map<string, Promise<'checked'>>();
  memory.follow(({ key, lifeMs }) => doubts.set(key, true, Math.min(lifeMs, doubtMs)));

  function conclude(group: string, answers: readonly ControlAnswer[]): void {
    const refused = answers.filter((answer) => answer === 'refused').length;
    const wasDoubted = doubts.peek(group) !== undefined;
    if (refused > 0) {
      doubts.set(group, true, doubtMs);
      memory.learn(group, 'refused', doubtMs);
      if (!wasDoubted) parts.onProblem(describeDoubt(group, refused, answers.length));
    } else if (wasDoubted && answers.includes('accepted')) {
      doubts.delete(group);
      memory.learn(group, null, 0);
      parts.onProblem(
        `${group} accepts its control mailboxes again: its "no such mailbox" is believed again`,
      );
    }
    if (!answers.includes('elsewhere') || toldElsewhere.has(group)) return;
    toldElsewhere.add(group);
    parts.onProblem(`a control mailbox of ${group} has its mail hosts elsewhere, so it proves nothing`);
  }

  async function check(group: string, emails: readonly string[]): Promise<'checked'> {
    const patience = { deadline: clock.now() + limits.verificationMs, signal: stopped.signal };
    try {
      conclude(group, await Promise.all(emails.map((email) => askFor(email, group, { parts, patience }))));
    } catch (error) {
      if (!stopped.signal.aborted)
        parts.onProblem(`the control mailboxes of ${group} could not be asked for: ${String(error)}`);
    } finally {
      underWay.delete(group);
    }
    return 'checked';
  }

  function checkIfDue(group: string, emails: readonly string[]): void {
    if (stopped.signal.aborted || underWay.has(group)) return;
    if (clock.now() - (checkedAt.get(group) ?? -Infinity) < limits.controlEveryMs) return;
    checkedAt.set(group, clock.now());
    underWay.set(group, check(group, emails));
  }

  async function askBeside(
    emails: readonly string[],
    { group, ask, patience }: Asked,
  ): Promise<MailboxEvidence> {
    checkIfDue(group, emails);
    const mailbox = await ask();
    if (mailbox.kind !== 'answered' || mailbox.meaning.label !== 'mailbox_not_exist') return mailbox;
    const deadline = Math.min(patience.deadline, clock.now() + limits.controlWaitMs);
    const wait = { clock, patience: { ...patience, deadline }, late: 'late' } as const;
    await waitFor<'checked' | 'late'>(underWay.get(group) ?? Promise.resolve('checked'), wait);
    return doubts.peek(group) === undefined ? mailbox : notBelieved(mailbox);
  }

  return {
    askAt(group, ask, patience) {
      const emails = controls.get(group);
      return emails === undefined ? ask() : askBeside(emails, { group, ask, patience });
    },
    doubted: () => doubts.list().flatMap(({ key }) => (controls.has(key) ? [key] : [])),
    stop: () => stopped.abort(),
  };
}

async function askFor(
  email: string,
  group: string,
  { parts, patience }: { parts: ControlParts; patience: Patience },
): Promise<ControlAnswer> {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') return 'nothing';
  const { address } = parsed;
  const route = await parts.mailRoutes.find(address, patience);
  if (route.kind !== 'takes_mail') return 'nothing';
  if (parts.policies.policyFor(route.first.name).group !== group) return 'elsewhere';
  const mailbox = await parts.prober.ask({ address, route, asker }, patience);
  if (mailbox.kind !== 'answered') return 'nothing';
  if (mailbox.meaning.label === 'mailbox_not_exist') return 'refused';
  return mailbox.meaning.label === 'accepted' ? 'accepted' : 'nothing';
}

function notBelieved({ host, replies }: MailboxEvidence & { kind: 'answered' }): MailboxEvidence {
  const reason = 'control_mailbox_refused';
  return { kind: 'no_answer', reason, meaning: undefined, connected: true, host, replies };
}

function describeDoubt(group: string, refused: number, all: number): string {
  const what = all === 1 ? 'a control mailbox' : `${refused} of ${all} control mailboxes`;
  return `${group} refuses ${what} as unknown: its "no such mailbox" is not believed until it accepts them again`;
}
