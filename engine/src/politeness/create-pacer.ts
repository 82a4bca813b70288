import type { Clock } from '../clock.ts';
import { emptyNamespace, type MemoryNamespace } from '../memory.ts';
import type { Destination, Politeness } from './policy.ts';
import type { SessionOutcome } from './session-outcome.ts';
import { createBoundedCache, type BoundedCache } from '../bounded-cache.ts';
import { complaintRestMs, restAfter, addAsker, addComplaint, blamedFor, type Rest } from './back-off.ts';
import { followRests, forgetRest, keepRest } from './keep-rests.ts';
import { createAccountConduct, type AccountConduct } from './account-conduct.ts';
import { networkOf } from '../ip-address.ts';
import { withItem } from '../with-item.ts';
import {
  halfMinuteMs,
  minuteMs,
  nextConnection,
  noteArrival,
  noteOpening,
  readHandOver,
  takeHandOver,
  writeHandOver,
  type Takeover,
  type HandOver,
} from './connection-rate.ts';
import {
  createHostHistories,
  isRunning,
  type EgressCount,
  type FoundHistories,
  type HostHistories,
  type HostHistory,
} from './host-history.ts';

/**
 * Decides when a conversation with a mail host may begin. Counts by address, by network and by group, never by
 * recipient domain: a thousand domains that point at one machine are one machine.
 *
 *     free ──▶ at its limit (wait for an end) ──▶ free
 *       └──▶ resting (answer at once, send nothing) ──▶ one conversation at a time ──▶ … ──▶ free
 *
 * Conversations and connections are counted for each egress address by itself, because a host knows us by our
 * address. An egress address has one owner, so no other process's count is missing. The words and the rest of a host
 * hold for all of them: a rest is never dodged by asking from elsewhere.
 */
export type Permission =
  | { kind: 'open' }
  /** At a limit of connections a minute (`until` is known), or of conversations (the end of one will tell). */
  | { kind: 'wait'; until: number | undefined; key: string }
  | { kind: 'resting'; reason: string; until: number };

export type Pacer = {
  /** `egress` is the egress address that the conversation would leave from, here and below. */
  mayOpen(destination: Destination, egress: string): Permission;
  opened(destination: Destination, egress: string): OpenConversation;
  /** How fast each account may ask. */
  accounts: AccountConduct;
  /** The rest of a host or its group, while it lasts. */
  restOf(destination: Destination): KnownRest | undefined;
  /** The rest of one domain's recipients at a group, while it lasts. */
  restOfDomain(domain: string, destination: Destination): KnownRest | undefined;
  /** The keys under which a destination is counted; an end under one of them may free another. */
  keysOf(destination: Destination): string[];
  /** Hosts and groups that rest now, for the operator. */
  resting: HostHistories['resting'];
  /** Conversations that are open from an egress address. */
  openFrom(egress: string): number;
  /** Counts for the next owner of an egress address; `mostHosts` bounds how many hosts are named. */
  handOver(egress: string, mostHosts?: number): HandOver;
  /** Makes an egress address ours from now on. */
  takeOver(egress: string, from: Predecessor): void;
};

export type OpenConversation = {
  /**
   * Notes that the host has answered, so it has seen the connection by now; called once, and at the end at the
   * latest.
   */
  arrived(): void;
  /** Notes the outcome; none if the conversation was never begun. */
  closed(outcome: SessionOutcome | undefined): void;
};

type KnownRest = { reason: string; until: number };

/** The previous owner of an egress address. */
export type Predecessor =
  /** No owner within the last minute, or this process itself. */
  | { kind: 'nobody' }
  /** Its hand-over, `agoMs` old; if that cannot be read, the owner counts as dead. */
  | { kind: 'stopped'; handOver: unknown; agoMs: number }
  /** How long ago it can last have begun a conversation, and its last note with its age. */
  | { kind: 'died'; agoMs: number; left?: { handOver: unknown; agoMs: number } };

type PacerParts = {
  clock: Clock;
  /** From 0 up to but not including 1, for jitter. */
  random(): number;
  /** Whether hosts are left alone after a failure or complaint; off if pacing is off. */
  backsOff: boolean;
  /** Called once for each rest that begins. */
  onRest(rest: { key: string; reason: string; forMs: number }): void;
  /** Whether other processes may take over an egress address of ours: then no half minute holds more than half. */
  sharesEgress: boolean;
  /** The memory in which rests outlive a restart, and from which those of other engines come. */
  memory?: MemoryNamespace;
};

const historiesKept = 50_000;
const accountsKept = 10_000;
const domainsKept = 10_000;

type Pacing = PacerParts & {
  histories: HostHistories;
  historiesAt: (destination: Destination) => FoundHistories;
  memory: MemoryNamespace;
  /** By egress address; absent for one that was ours all along. */
  takeovers: Map<string, Takeover>;
  accounts: AccountConduct;
  /** The reason for which a domain is not asked for at a group. */
  domainRests: BoundedCache<string>;
};

export function createPacer(parts: PacerParts): Pacer {
  const { clock } = parts;
  const histories = createHostHistories(clock, historiesKept);
  const pacing: Pacing = {
    memory: emptyNamespace,
    ...parts,
    histories,
    historiesAt: rememberHistories(histories),
    takeovers: new Map(),
    accounts: createAccountConduct(clock, accountsKept),
    domainRests: createBoundedCache({ clock, maxEntries: domainsKept }),
  };
  if (parts.backsOff) followRests(histories, pacing);
  return {
    mayOpen: (destination, egress) => mayOpen(destination, egress, pacing),
    opened: (destination, egress) => noteOpened(destination, egress, pacing),
    accounts: pacing.accounts,
    restOf: (destination) => restOf(destination, pacing),
    restOfDomain: (domain, destination) => restOfDomain(domain, destination, pacing),
    keysOf(destination) {
      const { keys } = pacing.historiesAt(destination);
      return [keys.address, keys.network, keys.group];
    },
    resting: () => histories.resting(),
    openFrom: (egress) => openFrom(egress, histories),
    handOver: (egress, most) =>
      writeHandOver(egress, { histories, takeover: pacing.takeovers.get(egress), clock, most }),
    takeOver: (egress, from) => takeOver(egress, from, pacing),
  };
}

function takeOver(egress: string, from: Predecessor, pacing: Pacing): void {
  if (from.kind === 'nobody') return;
  const { takeovers, histories, clock } = pacing;
  const left = from.kind === 'stopped' ? from : from.left;
  const handOver = left === undefined ? undefined : readHandOver(left.handOver);
  const countFor = (key: string) => countOf(histories.of(key), egress, pacing);
  const now = clock.now();
  if (left === undefined || handOver === undefined) {
    const beginsAt = now + Math.max(0, halfMinuteMs - from.agoMs);
    takeovers.set(egress, { at: now, beginsAt, unnamedAtMost: 0, uncounted: [] });
    return;
  }
  const takeover = takeHandOver(handOver, left.agoMs, { histories, countFor, clock });
  const lost = { until: now - from.agoMs, forMs: Math.max(0, left.agoMs - from.agoMs) };
  const uncounted = from.kind === 'died' ? [...takeover.uncounted, lost] : takeover.uncounted;
  takeovers.set(egress, { ...takeover, uncounted });
}

function openFrom(egress: string, histories: HostHistories): number {
  let open = 0;
  for (const [key, history] of histories.entries())
    if (key.startsWith('group ')) open += countFrom(egress, history)?.open ?? 0;
  return open;
}

/** Returns the count of one egress address at a host. A new one may be known to a predecessor. */
function countOf(history: HostHistory, egress: string, pacing: Pacing): EgressCount {
  const first = history.from[0];
  if (first?.egress === egress) return first;
  const known = first === undefined ? undefined : countFrom(egress, history);
  return known ?? beginCount(history, egress, pacing);
}

function countFrom(egress: string, { from }: HostHistory): EgressCount | undefined {
  return from.find((count) => count.egress === egress);
}

function beginCount(history: HostHistory, egress: string, { takeovers, clock }: Pacing): EgressCount {
  const { from } = history;
  const takeover = takeovers.get(egress);
  const isRecent = takeover !== undefined && clock.now() - takeover.at < minuteMs;
  const arrivedAt = isRecent ? Array<number>(takeover.unnamedAtMost).fill(takeover.at) : [];
  const lastOpenedAt = arrivedAt.at(-1) ?? -Infinity;
  const fresh: EgressCount = { egress, open: 0, arriving: 0, lastOpenedAt, arrivedAt };
  history.from = withItem(from, fresh);
  return fresh;
}

/**
 * Returns a lookup of histories. A destination is asked about many times while a probe waits for it. So its
 * histories are looked up once, and again only if one of them had to make room meanwhile.
 */
function rememberHistories(histories: HostHistories): (destination: Destination) => FoundHistories {
  const known = new WeakMap<Destination, FoundHistories>();
  return (destination) => {
    const before = known.get(destination);
    if (before !== undefined && !isAnyForgotten(before)) return before;
    const { target, policy } = destination;
    const found = histories.ofAll(
      before?.keys ?? {
        address: `address ${target.address}`,
        network: `network ${networkOf(target.address)}`,
        group: `group ${policy.group}`,
      },
    );
    known.set(destination, found);
    return found;
  };
}

function isAnyForgotten({ address, network, group }: FoundHistories): boolean {
  return address.isForgotten || network.isForgotten || group.isForgotten;
}

function domainKey(domain: string, { policy }: Destination): string {
  return `${policy.group} ${domain}`;
}

function restOfDomain(domain: string, destination: Destination, { domainRests, clock }: Pacing) {
  if (domainRests.size() === 0) return undefined;
  const key = domainKey(domain, destination);
  const reason = domainRests.peek(key);
  return reason === undefined ? undefined : { reason, until: clock.now() + domainRests.lifeOf(key) };
}

function restOf(destination: Destination, { historiesAt, clock }: Pacing): KnownRest | undefined {
  const { address, group } = historiesAt(destination);
  if (isRunning(address.rest, clock)) return address.rest;
  return isRunning(group.rest, clock) ? group.rest : undefined;
}

const open: Permission = { kind: 'open' };

function mayOpen(destination: Destination, egress: string, pacing: Pacing): Permission {
  const { clock } = pacing;
  const rest = restOf(destination, pacing);
  if (rest !== undefined) return { kind: 'resting', ...rest };
  const { keys, address, network, group } = pacing.historiesAt(destination);
  const { politeness } = destination.policy;
  const atAddress = countOf(address, egress, pacing);
  if (isFull(atAddress, address, politeness.conversationsPerAddress)) return untilOneEnds(keys.address);
  const inNetwork = countOf(network, egress, pacing);
  if (isFull(inNetwork, network, politeness.conversationsPerNetwork)) return untilOneEnds(keys.network);
  const inGroup = countOf(group, egress, pacing);
  if (isFull(inGroup, group, groupLimit(group, politeness))) return untilOneEnds(keys.group);
  const { sharesEgress } = pacing;
  const rate = { politeness, takeover: pacing.takeovers.get(egress), clock, sharesEgress };
  const until = Math.max(
    nextConnection(inGroup, group.slow, rate),
    nextConnection(atAddress, address.slow, rate),
  );
  return until > clock.now() ? { kind: 'wait', until, key: keys.group } : open;
}

function isFull(count: EgressCount, { allowed }: HostHistory, limit: number): boolean {
  return count.open >= (allowed ?? limit);
}

function untilOneEnds(key: string): Permission {
  return { kind: 'wait', until: undefined, key };
}

function groupLimit({ clean }: HostHistory, politeness: Politeness): number {
  const grown = Math.floor(clean / politeness.cleanConversationsToGrow);
  return Math.min(politeness.conversationsPerGroupAtMost, politeness.conversationsPerGroup + grown);
}

/**
 * Counts a conversation. Until its end none of the three histories is forgotten, so it ends in the history it was
 * counted in.
 */
function noteOpened(destination: Destination, egress: string, pacing: Pacing): OpenConversation {
  const { clock } = pacing;
  const at = pacing.historiesAt(destination);
  const address = countOf(at.address, egress, pacing);
  const network = countOf(at.network, egress, pacing);
  const group = countOf(at.group, egress, pacing);
  const openedAt = clock.now();
  // Connections a minute to a network have no limit.
  noteOpening(address, openedAt);
  noteOpening(group, openedAt);
  address.open += 1;
  network.open += 1;
  group.open += 1;
  let hasArrived = false;
  function arrived(): void {
    if (hasArrived) return;
    hasArrived = true;
    const arrivedAt = clock.now();
    noteArrival(address, arrivedAt);
    noteArrival(group, arrivedAt);
  }
  return {
    arrived,
    closed(outcome) {
      arrived();
      address.open -= 1;
      network.open -= 1;
      group.open -= 1;
      if (outcome !== undefined && pacing.backsOff) heed(outcome, { destination, egress, at }, pacing);
    },
  };
}

type EndedAt = { destination: Destination; egress: string; at: FoundHistories };

/** Draws the consequences of a conversation's outcome. */
function heed(outcome: SessionOutcome, { destination, egress, at }: EndedAt, pacing: Pacing): void {
  const { keys } = at;
  const { failures: failuresBefore } = at.address;
  remember(outcome, at, pacing.clock);
  pacing.accounts.note(outcome, { policy: destination.policy, egress });
  if (failuresBefore > 0 && at.address.failures === 0) forgetRest(keys.address, pacing);
  const groupComplains = heedComplaints(at.group, destination, pacing);
  const { failures, silences } = at.address;
  const rest = restAfter(outcome, { failures, silences, groupComplains }, destination.policy.group);
  if (rest !== undefined) beginRest(rest, rest.scope === 'group' ? keys.group : keys.address, pacing);
  else if (wentWell(outcome)) grow(at, destination.policy.politeness);
}

function remember(outcome: SessionOutcome, { address, group }: FoundHistories, clock: Clock): void {
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
 * Leaves a domain or an account alone if only that one meets complaints. Returns whether the whole group has to be
 * left alone.
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
function grow({ address, group }: FoundHistories, politeness: Politeness): void {
  group.clean += 1;
  address.allowed = oneMore(address.allowed, politeness.conversationsPerAddress);
  group.allowed = oneMore(group.allowed, politeness.conversationsPerGroup);
}

function oneMore(allowed: number | undefined, limit: number): number | undefined {
  return allowed === undefined || allowed + 1 >= limit ? undefined : allowed + 1;
}
