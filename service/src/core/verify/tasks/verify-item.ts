import {
  conclusiveStatuses,
  isRestReason,
  type Clock,
  type Engine,
  type Outcome,
  type OwnSignals,
} from '@mailproof/engine';
import type { Store } from '../../store/store.ts';
import { StoreUnavailableError } from '../../store/store-unavailable-error.ts';
import type { WallClock } from '../../store/wall-clock.ts';
import type { Slots } from '../slots.ts';
import type { Claim } from './claim-task.ts';
import {
  beginItem,
  deferItem,
  holdItem,
  mostAttempts,
  putBackItem,
  recordResult,
  type Item,
} from './items.ts';
import { internalError, unverified, type Result } from './result.ts';
import { visitOf, withVisits } from './visits.ts';

/**
 * One address of a task, once: count the attempt → verify → write the result, or when to ask again. However it
 * goes, the task goes on; only a store that fails throws.
 */
export type VerifyItemParts = {
  store: Pick<Store, 'write'>;
  engine: Pick<Engine, 'verify'>;
  sandbox: Pick<Engine, 'verify'>;
  slots: Slots;
  clock: Clock;
  wallClock: WallClock;
  /** The longest a single address may take, the wait for its mail host included. */
  itemTimeoutMs: number;
  /** The first wait before a host that deferred is asked again; it doubles each time. */
  deferRetryMs: number;
  /** Told of every result of a live task once it is written. */
  onResult?: (result: Result) => void;
  /** Told of our own defects, in words that hold no address. */
  onProblem: (message: string, error: unknown) => void;
};

type ItemRound = {
  claim: Claim;
  parts: VerifyItemParts;
  draining: AbortSignal;
  stop: AbortSignal;
  withdrawn: AbortSignal;
  /** For the wait before an address is begun, which ends when draining, stopped or withdrawn. */
  waits: OwnSignals;
  /** For its verification, and for the conversations of that one. */
  probes: OwnSignals;
  conversations: OwnSignals;
};

/** A host that defers is asked so many times in all; one that is not there, falls silent or hangs up, once more. */
const mostVisits = 4;
const mostVisitsInVain = 2;
const vainReasons: ReadonlySet<string> = new Set(['mx_unreachable', 'smtp_timeout', 'connection_lost']);

/** Advice to ask again within so many seconds means that the host deferred us; a later one, that it is of no use now. */
const soonSeconds = 300;

export async function verifyItem(item: Item, round: ItemRound): Promise<void> {
  const { claim, parts } = round;
  const { position, email } = item;
  const slot = await takeSlot(round);
  if (slot === undefined) return;
  try {
    const begun = await parts.store.write((tx) => beginItem(tx, claim, position));
    if (begun.kind === 'stale_fence') return;
    if (begun.kind === 'not_pending') {
      const explanation = withVisits(internalError, item.visits);
      if (item.attempts >= mostAttempts) await record(item, round, unverified(email, explanation));
      return;
    }
    const outcome = await probe(item, round);
    if (outcome !== undefined) await write(item, round, outcome);
  } finally {
    slot.release();
  }
}

/** `undefined` where there is none before the deadline, or no time left to use it. */
async function takeSlot({
  claim,
  parts,
  draining,
  stop,
  withdrawn,
  waits,
}: ItemRound): Promise<{ release: () => void } | undefined> {
  const own = waits.begin();
  const { signal } = own;
  try {
    if (signal.aborted) return undefined;
    if (claim.mode === 'test') return { release: () => undefined };
    const deadline = parts.clock.now() + (claim.deadlineAt - parts.wallClock.now());
    const patience = { deadline, signal };
    const slot = await parts.slots.take({ urgency: 'bulk', account: claim.accountId }, patience);
    return slot.kind === 'taken' ? slot : undefined;
  } catch (error) {
    if (draining.aborted || stop.aborted || withdrawn.aborted) return undefined;
    throw error;
  } finally {
    waits.end(own);
  }
}

/** `undefined` where it was broken off, or threw: a defect, which the count of attempts brings to an end. */
async function probe(
  { email, position }: Item,
  { claim, parts, stop, withdrawn, probes, conversations }: ItemRound,
): Promise<Outcome | undefined> {
  const timeLeftMs = claim.deadlineAt - parts.wallClock.now();
  const deadline = parts.clock.now() + Math.min(parts.itemTimeoutMs, timeLeftMs);
  const engine = claim.mode === 'live' ? parts.engine : parts.sandbox;
  const own = probes.begin();
  const conversation = conversations.begin();
  try {
    const asker = { urgency: 'bulk', account: claim.accountId } as const;
    const patience = { deadline, signal: own.signal, withdrawn: conversation.signal };
    return await engine.verify(email, { ...patience, asker });
  } catch (error) {
    if (stop.aborted || withdrawn.aborted) await parts.store.write((tx) => putBackItem(tx, claim, position));
    else if (error instanceof StoreUnavailableError) throw error;
    else parts.onProblem('an address of a task could not be verified', error);
    return undefined;
  } finally {
    probes.end(own);
    conversations.end(conversation);
  }
}

async function write(item: Item, round: ItemRound, outcome: Outcome): Promise<void> {
  const { claim, parts } = round;
  const { position } = item;
  const result = resultOf(item, outcome);
  const now = parts.wallClock.now();
  if (cannotBeAsked(outcome) && now + askAgainMs < claim.deadlineAt) {
    await parts.store.write((tx) => holdItem(tx, claim, { position, nextAt: now + askAgainMs }));
    return;
  }
  const visits = [...item.visits, visitOf(result.explanation, now)];
  const nextAt = now + Math.max(parts.deferRetryMs * 2 ** item.visits.length, restMs(result.explanation));
  const most = vainReasons.has(result.explanation.reason) ? mostVisitsInVain : mostVisits;
  const worthwhile = visits.length < most && nextAt < claim.deadlineAt;
  if (worthwhile && isDeferred(outcome)) {
    await parts.store.write((tx) => deferItem(tx, claim, { position, nextAt, visits }));
  } else {
    const explanation = visits.length > 1 ? withVisits(result.explanation, visits) : result.explanation;
    await record(item, round, { ...result, explanation });
  }
}

async function record({ position }: Item, { claim, parts }: ItemRound, result: Result): Promise<void> {
  const answer = await parts.store.write((tx) => recordResult(tx, claim, { position, result }));
  if (answer.kind === 'written' && claim.mode === 'live') parts.onResult?.(result);
}

/** How long an address waits before it is asked for again, while it cannot be asked for from here. */
const askAgainMs = 15_000;

/**
 * No prober is there, its port is blocked, its address is listed, its own name is not proven, or the resolver denies a domain without having proved itself: that is ours to
 * mend, and the address waits for it.
 */
const ourOwnReasons: ReadonlySet<string> = new Set([
  'no_prober',
  'mail_port_blocked',
  'egress_closed',
  'identity_unproven',
  'dns_denies_known_names',
  'dns_denial_unproved',
]);

function cannotBeAsked(outcome: Outcome): boolean {
  return outcome.kind === 'unavailable' && ourOwnReasons.has(outcome.explanation.reason);
}

/** A mail host told us to come back (greylisting), is left alone, or never got to the point: it may say more next time. */
function isDeferred(outcome: Outcome): boolean {
  if (outcome.kind !== 'verdict' || outcome.verdict.status !== 'unknown') return false;
  const { stage, retry } = outcome.explanation;
  if (stage !== 'smtp' || !retry.advised) return false;
  return (retry.after_seconds ?? Infinity) <= soonSeconds || isRestReason(outcome.explanation.reason);
}

/** How long a host is left alone that would not have been asked any sooner. */
function restMs({ reason, retry: { after_seconds: afterSeconds = 0 } }: Result['explanation']): number {
  return isRestReason(reason) && afterSeconds > soonSeconds ? afterSeconds * 1_000 : 0;
}

function resultOf({ email }: Item, outcome: Outcome): Result {
  switch (outcome.kind) {
    case 'verdict': {
      const { verdict, explanation } = outcome;
      return { verdict, explanation, conclusive: conclusiveStatuses.has(verdict.status) };
    }
    case 'timeout':
    case 'unavailable':
      return unverified(email, outcome.explanation);
    case 'invalid_address':
      return unverified(email, internalError);
  }
}
