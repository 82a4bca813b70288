import type { Clock } from '../clock.ts';
import { emptyNamespace, type MemoryNamespace } from '../memory.ts';
import type { Politeness } from './policy.ts';
import type { Destination } from './policy.ts';
import type { SessionOutcome } from './session-outcome.ts';
import { createBoundedCache, type BoundedCache } from '../bounded-cache.ts';
import { complaintRestMs, restAfter, type Rest } from './back-off.ts';
import { followRests, forgetRest, keepRest } from './keep-rests.ts';
import { keepHostLeases, type HostLeases } from './keep-host-leases.ts';
import { createAccountConduct, type AccountConduct } from './account-conduct.ts';
import { addAsker, addComplaint, blamedFor } from './complaints.ts';
import { networkOf } from '../net/network-of.ts';
import { createHostHistories, isRunning, type HostHistories, type HostHistory } from './host-history.ts';
import { createLeaseState, noteAddress } from './lease-state.ts';
import type { LeaseStore } from './lease-store.ts';

/**
 * Decides when a conversation with a mail host may begin. Counts by address, by network and by group,
 * never by recipient domain: a thousand domains that point at one machine are one machine.
 *
 *     free ──▶ at its limit (wait for an end) ──▶ free
 *       └──▶ resting (answer at once, send nothing) ──▶ one conversation at a time ──▶ … ──▶ free
 *
 * Where several processes talk to the same hosts, each does so only while it holds the leases of the group and of the
 * network (`keep-host-leases.ts`), and hands on with them what it has counted.
 */
export type Permission =
  | { kind: 'open' }
  /**
   * At a limit of connections a minute (`until` is known), or of conversations, or without the lease of `key` (`until`
   * is unknown: the end of a conversation or the lease will tell).
   */
  | { kind: 'wait'; until: number | undefined; key: string }
  | { kind: 'resting'; reason: string; until: number };

export type Pacer = {
  mayOpen(destination: Destination): Permission;
  opened(destination: Destination): void;
  /** Takes in how a conversation went; none where it was never begun. */
  closed(destination: Destination, outcome: SessionOutcome | undefined): void;
  /** How fast each account may ask. */
  accounts: AccountConduct;
  /** The rest of one domain's recipients at a group, while it lasts. */
  restOfDomain(domain: string, destination: Destination): { reason: string; until: number } | undefined;
  /** The keys under which a destination is counted; an end under one of them may free another. */
  keysOf(destination: Destination): string[];
  /** Who is resting now, for the operator. */
  resting: HostHistories['resting'];
  /** Calls back when a key comes free other than by the end of a conversation: its lease is ours. */
  onFree(listener: (key: string) => void): void;
  /** Gives back the leases. */
  stop(): void;
};

type PacerParts = {
  clock: Clock;
  /** From 0 up to but not including 1, for jitter. */
  random(): number;
  /** Whether hosts are left alone after what they said; off where pacing is off. */
  backsOff: boolean;
  /** Told once for each rest that begins. */
  onRest(rest: { key: string; reason: string; forMs: number }): void;
  /** Where rests outlive a restart, and where those of other engines come from. */
  memory?: MemoryNamespace;
  /** Where other processes talk to the same hosts. */
  leases?: { store: LeaseStore; onProblem(message: string): void } | undefined;
};

const minuteMs = 60_000;
const historiesKept = 50_000;
const accountsKept = 10_000;
const domainsKept = 10_000;

type Pacing = Omit<PacerParts, 'leases'> & {
  histories: HostHistories;
  memory: MemoryNamespace;
  leases: HostLeases | undefined;
  accounts: AccountConduct;
  /** The reason for which a domain is not asked for at a group. */
  domainRests: BoundedCache<string>;
};

export function createPacer(parts: PacerParts): Pacer {
  const { clock } = parts;
  const histories = createHostHistories(clock, historiesKept);
  const state = createLeaseState(histories, clock);
  let tell: (key: string) => void = () => undefined;
  const leases =
    parts.leases && keepHostLeases({ ...parts.leases, clock, state, onLease: (key) => tell(key) });
  const pacing: Pacing = {
    memory: emptyNamespace,
    ...parts,
    histories,
    leases,
    accounts: createAccountConduct(clock, accountsKept),
    domainRests: createBoundedCache({ clock, maxEntries: domainsKept }),
  };
  if (parts.backsOff) followRests(histories, pacing);
  return {
    mayOpen: (destination) => mayOpen(destination, pacing),
    opened: (destination) => noteOpened(destination, pacing),
    closed: (destination, outcome) => noteClosed(destination, outcome, pacing),
    accounts: pacing.accounts,
    restOfDomain: (domain, destination) => restOfDomain(domain, destination, pacing),
    keysOf: (destination) => Object.values(keysOf(destination)),
    resting: () => histories.resting(),
    onFree: (listener) => void (tell = listener),
    stop: () => leases?.stop(),
  };
}

function keysOf({ target, policy }: Destination): { address: string; network: string; group: string } {
  return {
    address: `address ${target.address}`,
    network: `network ${networkOf(target.address)}`,
    group: `group ${policy.group}`,
  };
}

function mayOpen(destination: Destination, pacing: Pacing): Permission {
  const permission = withinLimits(destination, pacing);
  if (permission.kind !== 'open') return permission;
  const { group, network } = keysOf(destination);
  const missing = pacing.leases?.firstMissing([group, network]);
  return missing === undefined ? permission : { kind: 'wait', until: undefined, key: missing };
}

function domainKey(domain: string, { policy }: Destination): string {
  return `${policy.group} ${domain}`;
}

function restOfDomain(domain: string, destination: Destination, { domainRests, clock }: Pacing) {
  const key = domainKey(domain, destination);
  const reason = domainRests.peek(key);
  return reason === undefined ? undefined : { reason, until: clock.now() + domainRests.lifeOf(key) };
}

function withinLimits(destination: Destination, { histories, clock }: Pacing): Permission {
  const keys = keysOf(destination);
  const { politeness } = destination.policy;
  for (const key of [keys.address, keys.group]) {
    const { rest } = histories.of(key);
    if (isRunning(rest, clock)) return { kind: 'resting', ...rest };
  }
  const group = histories.of(keys.group);
  const most: [string, number][] = [
    [keys.address, politeness.conversationsPerAddress],
    [keys.network, politeness.conversationsPerNetwork],
    [keys.group, groupLimit(group, politeness)],
  ];
  const full = most.find(([key, limit]) => histories.of(key).open >= (histories.of(key).allowed ?? limit));
  if (full !== undefined) return { kind: 'wait', until: undefined, key: full[0] };
  const until = Math.max(
    nextConnection(group, politeness, clock),
    nextConnection(histories.of(keys.address), politeness, clock),
  );
  return until > clock.now() ? { kind: 'wait', until, key: keys.group } : { kind: 'open' };
}

function groupLimit({ clean }: HostHistory, politeness: Politeness): number {
  const grown = Math.floor(clean / politeness.cleanConversationsToGrow);
  return Math.min(politeness.conversationsPerGroupAtMost, politeness.conversationsPerGroup + grown);
}

/** When the rates a second and a minute allow the next connection under one key. */
function nextConnection({ slow, openedAt }: HostHistory, politeness: Politeness, clock: Clock): number {
  const isSlow = isRunning(slow, clock);
  const perMinute = isSlow ? slow.perMinute : politeness.connectionsPerMinute;
  const gapMs = Math.max(1_000 / politeness.connectionsPerSecond, isSlow ? minuteMs / perMinute : 0);
  const afterGap = (openedAt.at(-1) ?? -Infinity) + gapMs;
  const afterMinute = Number.isFinite(perMinute)
    ? (openedAt.at(-perMinute) ?? -Infinity) + minuteMs
    : -Infinity;
  return Math.max(afterGap, afterMinute);
}

function noteOpened(destination: Destination, { histories, clock, leases }: Pacing): void {
  const keys = keysOf(destination);
  for (const key of Object.values(keys)) {
    const history = histories.of(key);
    history.open += 1;
    history.openedAt.push(clock.now());
    while ((history.openedAt[0] ?? Infinity) <= clock.now() - minuteMs) history.openedAt.shift();
  }
  if (leases !== undefined) noteAddress(histories.of(keys.network), destination.target.address, clock.now());
}

function noteClosed(destination: Destination, outcome: SessionOutcome | undefined, pacing: Pacing): void {
  const { histories, clock, backsOff } = pacing;
  const keys = keysOf(destination);
  for (const key of Object.values(keys)) histories.of(key).open -= 1;
  if (outcome === undefined || !backsOff) return;
  const at = { address: histories.of(keys.address), group: histories.of(keys.group) };
  const { failures: failuresBefore } = at.address;
  remember(outcome, at, clock);
  pacing.accounts.note(outcome.mailboxes, destination.policy);
  if (failuresBefore > 0 && at.address.failures === 0) forgetRest(keys.address, pacing);
  const groupComplains = heedComplaints(at.group, destination, pacing);
  const { failures, silences } = at.address;
  const rest = restAfter(outcome, { failures, silences, groupComplains }, destination.policy.group);
  if (rest !== undefined) beginRest(rest, rest.scope === 'group' ? keys.group : keys.address, pacing);
  else if (wentWell(outcome)) grow(at, destination.policy.politeness);
}

type Histories = { address: HostHistory; group: HostHistory };

function remember(outcome: SessionOutcome, { address, group }: Histories, clock: Clock): void {
  const now = clock.now();
  const { connected, fault, turnedAway, mailboxes } = outcome;
  const sentAway = !connected || (turnedAway !== undefined && turnedAway.reply.code < 500);
  address.countedAt = now;
  address.failures = sentAway ? address.failures + 1 : 0;
  address.silences = fault === 'timeout' ? address.silences + 1 : 0;
  for (const { account, domain, said } of mailboxes) {
    group.askers = addAsker(group.askers, { account, at: now });
    if (said === 'complaint') group.complaints = addComplaint(group.complaints, { account, domain, at: now });
  }
}

/**
 * Leaves alone what only one domain's recipients or one account meet with; whether everybody has to leave the group
 * alone is the answer.
 */
function heedComplaints(group: HostHistory, destination: Destination, pacing: Pacing): boolean {
  const blamed = blamedFor(group.complaints, group.askers);
  switch (blamed.kind) {
    case 'nobody':
      return false;
    case 'everybody':
      return true;
    case 'domain':
      pacing.domainRests.set(domainKey(blamed.domain, destination), 'provider_refuses_us', complaintRestMs);
      break;
    case 'account':
      pacing.accounts.slowDown(blamed.account, destination.policy, complaintRestMs);
      break;
  }
  group.complaints = [];
  return false;
}

function beginRest({ restMs, reason, slow }: Rest, key: string, pacing: Pacing): void {
  const { histories, clock } = pacing;
  const history = histories.of(key);
  // Up to a tenth more, so that many hosts that failed together do not come back together.
  const forMs = Math.round(restMs * (1 + pacing.random() / 10));
  if (forMs > 0) history.rest = { until: clock.now() + forMs, reason };
  if (slow !== undefined) history.slow = { perMinute: slow.perMinute, until: clock.now() + slow.forMs };
  Object.assign(history, { allowed: 1, clean: 0, complaints: [] });
  keepRest(key, history, pacing);
  pacing.onRest({ key, reason, forMs });
}

function wentWell({ connected, fault, turnedAway }: SessionOutcome): boolean {
  return connected && fault === undefined && turnedAway === undefined;
}

/** A conversation that went well allows one more at a time, until the limit is as it was. */
function grow({ address, group }: Histories, politeness: Politeness): void {
  group.clean += 1;
  address.allowed = oneMore(address.allowed, politeness.conversationsPerAddress);
  group.allowed = oneMore(group.allowed, politeness.conversationsPerGroup);
}

function oneMore(allowed: number | undefined, limit: number): number | undefined {
  return allowed === undefined || allowed + 1 >= limit ? undefined : allowed + 1;
}
