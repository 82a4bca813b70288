import type { Clock } from '../clock.ts';
import { emptyShelf, type Shelf } from '../memory.ts';
import type { Politeness } from './policy.ts';
import type { Destination } from './policy.ts';
import type { SessionOutcome } from './session-outcome.ts';
import { restAfter, type History, type Rest } from './back-off.ts';
import { followRests, forgetRest, keepRest } from './keep-rests.ts';
import { createTurns, type Turns } from './keep-turns.ts';
import { networkOf } from '../net/network-of.ts';
import { createRecordBook, isRunning, type Record, type RecordBook } from './record.ts';
import type { TurnBook } from './turn-book.ts';
import { createTurnLedger, noteAddress } from './turn-ledger.ts';

/**
 * Decides when a conversation with a mail host may begin. Counts by address, by network and by group,
 * never by recipient domain: a thousand domains that point at one machine are one machine.
 *
 *     free ──▶ at its limit (wait for an end) ──▶ free
 *       └──▶ resting (answer at once, send nothing) ──▶ one conversation at a time ──▶ … ──▶ free
 *
 * Where several processes talk to the same hosts, each does so only while it has the turn of the group and of the
 * network (`keep-turns.ts`), and hands on with it what it has counted.
 */
export type Permission =
  | { kind: 'open' }
  /** At a limit: of conversations (`until` is unknown, an end will tell) or of connections a minute; or not our turn. */
  | { kind: 'wait'; until: number | undefined; key: string }
  | { kind: 'resting'; reason: string; until: number };

export type Pacer = {
  mayOpen(destination: Destination): Permission;
  opened(destination: Destination): void;
  /** Takes in how a conversation went; none where it was never begun. */
  closed(destination: Destination, outcome: SessionOutcome | undefined): void;
  /** The keys under which a destination is counted; an end under one of them may free another. */
  keysOf(destination: Destination): string[];
  /** Who is resting now, for the operator. */
  resting: RecordBook['resting'];
  /** Calls back when a key comes free otherwise than by an end: our turn has come. */
  onFree(listener: (key: string) => void): void;
  /** Gives back the turns. */
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
  /** Where rests are kept over a restart, and heard of from others. */
  shelf?: Shelf;
  /** Where other processes talk to the same hosts. */
  turns?: { book: TurnBook; onProblem(message: string): void } | undefined;
};

const minuteMs = 60_000;
const policyWindowMs = 10 * minuteMs;
const mailboxWindow = 50;
const recordsKept = 50_000;

type Pacing = Omit<PacerParts, 'turns'> & { book: RecordBook; shelf: Shelf; turns: Turns | undefined };

export function createPacer(parts: PacerParts): Pacer {
  const book = createRecordBook(parts.clock, recordsKept);
  const { clock } = parts;
  let tell: (key: string) => void = () => undefined;
  const ledger = createTurnLedger(book, clock);
  const turns = parts.turns && createTurns({ ...parts.turns, clock, ledger, onTurn: (key) => tell(key) });
  const pacing = { shelf: emptyShelf, ...parts, book, turns };
  if (parts.backsOff) followRests(book, pacing);
  return {
    mayOpen: (destination) => mayOpen(destination, pacing),
    opened: (destination) => noteOpened(destination, pacing),
    closed: (destination, outcome) => noteClosed(destination, outcome, pacing),
    keysOf: (destination) => Object.values(keysOf(destination)),
    resting: () => book.resting(),
    onFree: (listener) => void (tell = listener),
    stop: () => turns?.stop(),
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
  const lacking = pacing.turns?.lacking([group, network]);
  return lacking === undefined ? permission : { kind: 'wait', until: undefined, key: lacking };
}

function withinLimits(destination: Destination, { book, clock }: Pacing): Permission {
  const keys = keysOf(destination);
  const { politeness } = destination.policy;
  for (const key of [keys.address, keys.group]) {
    const { rest } = book.of(key);
    if (isRunning(rest, clock)) return { kind: 'resting', ...rest };
  }
  const group = book.of(keys.group);
  const most: [string, number][] = [
    [keys.address, politeness.conversationsPerAddress],
    [keys.network, politeness.conversationsPerNetwork],
    [keys.group, groupLimit(group, politeness)],
  ];
  const full = most.find(([key, limit]) => book.of(key).open >= (book.of(key).allowed ?? limit));
  if (full !== undefined) return { kind: 'wait', until: undefined, key: full[0] };
  const until = Math.max(
    nextConnection(group, politeness, clock),
    nextConnection(book.of(keys.address), politeness, clock),
  );
  return until > clock.now() ? { kind: 'wait', until, key: keys.group } : { kind: 'open' };
}

function groupLimit({ clean }: Record, politeness: Politeness): number {
  const grown = Math.floor(clean / politeness.cleanConversationsToGrow);
  return Math.min(politeness.conversationsPerGroupAtMost, politeness.conversationsPerGroup + grown);
}

/** When the rates a second and a minute allow the next connection under one key. */
function nextConnection({ slow, openedAt }: Record, politeness: Politeness, clock: Clock): number {
  const isSlow = isRunning(slow, clock);
  const perMinute = isSlow ? slow.perMinute : politeness.connectionsPerMinute;
  const gapMs = Math.max(1_000 / politeness.connectionsPerSecond, isSlow ? minuteMs / perMinute : 0);
  const afterGap = (openedAt.at(-1) ?? -Infinity) + gapMs;
  const afterMinute = Number.isFinite(perMinute)
    ? (openedAt.at(-perMinute) ?? -Infinity) + minuteMs
    : -Infinity;
  return Math.max(afterGap, afterMinute);
}

function noteOpened(destination: Destination, { book, clock, turns }: Pacing): void {
  const keys = keysOf(destination);
  for (const key of Object.values(keys)) {
    const record = book.of(key);
    record.open += 1;
    record.openedAt.push(clock.now());
    while ((record.openedAt[0] ?? Infinity) <= clock.now() - minuteMs) record.openedAt.shift();
  }
  if (turns !== undefined) noteAddress(book.of(keys.network), destination.target.address, clock.now());
}

function noteClosed(destination: Destination, outcome: SessionOutcome | undefined, pacing: Pacing): void {
  const { book, clock, backsOff } = pacing;
  const keys = keysOf(destination);
  for (const key of Object.values(keys)) book.of(key).open -= 1;
  if (outcome === undefined || !backsOff) return;
  const at = { address: book.of(keys.address), group: book.of(keys.group) };
  const { setbacks } = at.address;
  remember(outcome, at, clock);
  if (setbacks > 0 && at.address.setbacks === 0) forgetRest(keys.address, pacing);
  const rest = restAfter(outcome, historyOf(at), destination.policy.group);
  if (rest !== undefined) beginRest(rest, rest.scope === 'group' ? keys.group : keys.address, pacing);
  else if (wentWell(outcome)) grow(at, destination.policy.politeness);
}

type Records = { address: Record; group: Record };

function remember(outcome: SessionOutcome, { address, group }: Records, clock: Clock): void {
  const now = clock.now();
  const { connected, fault, turnedAway, recipients, unknownMailboxes, policyRefusals } = outcome;
  const sentAway = !connected || (turnedAway !== undefined && turnedAway.reply.code < 500);
  address.countedAt = now;
  address.setbacks = sentAway ? address.setbacks + 1 : 0;
  address.silences = fault === 'timeout' ? address.silences + 1 : 0;
  const refusedNow = Array<number>(policyRefusals).fill(now);
  group.policyRefusedAt = [...group.policyRefusedAt, ...refusedNow].filter((at) => at > now - policyWindowMs);
  const known = Array<number>(recipients - unknownMailboxes).fill(0);
  const unknown = Array<number>(unknownMailboxes).fill(1);
  group.lastMailboxes = [...group.lastMailboxes, ...known, ...unknown].slice(-mailboxWindow);
}

function historyOf({ address, group }: Records): History {
  const { lastMailboxes } = group;
  const unknown = lastMailboxes.reduce((sum, one) => sum + one, 0);
  return {
    setbacks: address.setbacks,
    silences: address.silences,
    policyRefusals: group.policyRefusedAt.length,
    unknownShare: lastMailboxes.length < mailboxWindow ? undefined : unknown / mailboxWindow,
  };
}

function beginRest({ restMs, reason, slow }: Rest, key: string, pacing: Pacing): void {
  const { book, clock } = pacing;
  const record = book.of(key);
  // Up to a tenth more, so that many hosts that failed together do not come back together.
  const forMs = Math.round(restMs * (1 + pacing.random() / 10));
  if (forMs > 0) record.rest = { until: clock.now() + forMs, reason };
  if (slow !== undefined) record.slow = { perMinute: slow.perMinute, until: clock.now() + slow.forMs };
  Object.assign(record, { allowed: 1, clean: 0, policyRefusedAt: [] });
  if (forMs > 0) record.lastMailboxes = [];
  keepRest(key, record, pacing);
  pacing.onRest({ key, reason, forMs });
}

function wentWell({ connected, fault, turnedAway }: SessionOutcome): boolean {
  return connected && fault === undefined && turnedAway === undefined;
}

/** A conversation that went well allows one more at a time, until the limit is as it was. */
function grow({ address, group }: Records, politeness: Politeness): void {
  group.clean += 1;
  address.allowed = oneMore(address.allowed, politeness.conversationsPerAddress);
  group.allowed = oneMore(group.allowed, politeness.conversationsPerGroup);
}

function oneMore(allowed: number | undefined, limit: number): number | undefined {
  return allowed === undefined || allowed + 1 >= limit ? undefined : allowed + 1;
}
