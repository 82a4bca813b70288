import type { MailTarget } from '../dns/mail-route.ts';
import { createFairQueue, type FairQueue } from '../fair-queue.ts';
import type { Route, Routes } from '../routes/create-routes.ts';
import type { Pacer } from '../politeness/create-pacer.ts';
import type { ConversationLimiter } from '../politeness/create-conversation-limiter.ts';
import type { Patience } from '../patience.ts';
import type { PolicyBook } from '../politeness/policy.ts';
import { createReplyClassifier } from '../replies/classifier/create-reply-classifier.ts';
import type { Destination } from '../politeness/policy.ts';
import type { SessionOutcome } from '../politeness/session-outcome.ts';
import { holdConversation } from './hold-conversation.ts';
import type { Supply, TalkParts } from './talk.ts';
import { createPendingProbe, type MailboxRequest, type PendingProbe, type Visit } from './pending-probe.ts';

/**
 * Owns every conversation with a mail host. Requests come in, single ones first; conversations go out, as
 * few as will do and only as many as the pacer allows. Whoever waits for the same host shares one.
 */
export type ProbeScheduler = {
  ask(request: MailboxRequest, patience: Patience): Promise<Visit>;
  counts(): { waiting: number; open: number };
};

type SchedulerParts = Omit<TalkParts, 'route' | 'heloName' | 'classify'> & {
  pacer: Pacer;
  gate: ConversationLimiter;
  policies: PolicyBook;
  routes: Routes;
};

/** A mail host at one address, those who wait for it, and the conversations with it. */
type HostQueue = {
  key: string;
  destination: Destination;
  queue: FairQueue<PendingProbe>;
  open: number;
  /** Conversations that have not yet been greeted, and so will still take those who wait. */
  arriving: number;
  /** Set while the line waits for the clock. */
  cancelTimer: (() => void) | undefined;
};

type Board = {
  parts: SchedulerParts;
  hosts: Map<string, HostQueue>;
  /** Lines that wait until a conversation ends under one of the pacer's keys. */
  waitingFor: Map<string, Set<HostQueue>>;
  /** What every conversation on a route works with, made once for all of them. */
  partsOn: WeakMap<Route, TalkParts>;
};

export function createProbeScheduler(parts: SchedulerParts): ProbeScheduler {
  const board: Board = { parts, hosts: new Map(), waitingFor: new Map(), partsOn: new WeakMap() };
  parts.pacer.onFree((key) => wake(key, board));
  return {
    ask: (request, patience) => ask(request, patience, board),
    counts() {
      const all = [...board.hosts.values()];
      return {
        waiting: all.reduce((sum, { queue }) => sum + queue.size(), 0),
        open: all.reduce((sum, { open }) => sum + open, 0),
      };
    },
  };
}

function ask(request: MailboxRequest, patience: Patience, board: Board): Promise<Visit> {
  const { pacer, clock } = board.parts;
  const line = lineTo(request.target, board);
  const permission = pacer.mayOpen(line.destination);
  if (permission.kind === 'resting') {
    forgetIfIdle(line, board);
    return Promise.resolve({ kind: 'resting', reason: permission.reason });
  }
  const probe = createPendingProbe(request, patience, clock);
  line.queue.add(probe);
  probe.onSettled(() => {
    line.queue.remove(probe);
    forgetIfIdle(line, board);
  });
  dispatch(line, board);
  return probe.outcome;
}

function lineTo(target: MailTarget, { hosts, parts }: Board): HostQueue {
  const key = `${target.address} ${target.host}`;
  const known = hosts.get(key);
  if (known !== undefined) return known;
  const destination = { target, policy: parts.policies.policyFor(target.host) };
  const line: HostQueue = {
    key,
    destination,
    queue: createFairQueue(),
    open: 0,
    arriving: 0,
    cancelTimer: undefined,
  };
  hosts.set(key, line);
  return line;
}

/** Begins as many conversations as those who wait need and the limits allow. */
function dispatch(line: HostQueue, board: Board): void {
  const { destination, queue } = line;
  const { pacer, gate } = board.parts;
  const { recipientsPerConversation } = destination.policy.politeness;
  while (queue.size() > line.arriving * recipientsPerConversation) {
    const permission = pacer.mayOpen(destination);
    if (permission.kind === 'resting') turnAway(line, permission.reason);
    if (permission.kind === 'wait') wait(line, permission, board);
    if (permission.kind !== 'open' || !gate.mayOpen(() => dispatch(line, board))) return;
    const route = chooseRoute(line, board);
    if (route === undefined) return;
    begin(line, route, board);
  }
}

/** The way out for this host; where there is none for now, those who wait are told or wait for a full minute to pass. */
function chooseRoute(line: HostQueue, board: Board): Route | undefined {
  const { target, policy } = line.destination;
  const { routes, clock } = board.parts;
  const choice = routes.choose({ group: policy.group, address: target.address, allowed: policy.routes });
  if (choice.kind === 'route') return choice.route;
  if (choice.why === 'volume_spent' && choice.waitMs <= longestMinuteMs) {
    wait(line, { until: clock.now() + choice.waitMs, key: '' }, board);
  } else {
    turnAway(line, choice.why === 'volume_spent' ? 'route_volume_spent' : 'no_route_open');
  }
  return undefined;
}

/** A route's volume of the minute is waited for; that of the day is not. */
const longestMinuteMs = 60_000;

function turnAway({ queue }: HostQueue, reason: string): void {
  for (let probe = queue.take(); probe !== undefined; probe = queue.take())
    probe.settle({ kind: 'resting', reason });
}

/** For an end under the key that is full, or for the clock. */
function wait(
  line: HostQueue,
  { until, key }: { until: number | undefined; key: string },
  board: Board,
): void {
  const { clock } = board.parts;
  if (until === undefined) {
    board.waitingFor.set(key, (board.waitingFor.get(key) ?? new Set()).add(line));
    return;
  }
  line.cancelTimer?.();
  line.cancelTimer = clock.after(until - clock.now(), () => dispatch(line, board));
}

function begin(line: HostQueue, route: Route, board: Board): void {
  const { parts } = board;
  const { policy, target } = line.destination;
  const at = { group: policy.group, address: target.address };
  parts.routes.note(route.id, { kind: 'opened', ...at });
  line.open += 1;
  parts.pacer.opened(line.destination);
  parts.gate.opened();
  const { supply, arrived } = supplyFrom(line);
  void holdConversation(line.destination, supply, partsOn(route, board)).then((outcome) => {
    arrived();
    if (outcome?.connected === true) parts.routes.note(route.id, { kind: 'connected', ...at });
    if (outcome?.turnedAway?.meaning.label === 'blocked_or_policy')
      parts.routes.note(route.id, { kind: 'blocked', ...at });
    end(line, outcome, board);
  });
}

function partsOn(route: Route, { parts, partsOn: known }: Board): TalkParts {
  const made = known.get(route) ?? {
    ...parts,
    route,
    heloName: route.heloName,
    classify: createReplyClassifier(parts.limits.replyMeanings),
  };
  known.set(route, made);
  return made;
}

/** A conversation takes one to begin with; when it takes more, it has arrived. */
function supplyFrom(line: HostQueue): { supply: Supply; arrived: () => void } {
  let isArriving = true;
  let takes = 0;
  line.arriving += 1;
  function arrived(): void {
    if (isArriving) line.arriving -= 1;
    isArriving = false;
  }
  return {
    arrived,
    supply: {
      take(most) {
        takes += 1;
        if (takes > 1) arrived();
        return takeUpTo(most, line.queue);
      },
      giveBack: (probes) => probes.forEach((probe) => line.queue.add(probe)),
    },
  };
}

function takeUpTo(most: number, queue: FairQueue<PendingProbe>): PendingProbe[] {
  const taken: PendingProbe[] = [];
  while (taken.length < most) {
    const probe = queue.take();
    if (probe === undefined) break;
    taken.push(probe);
  }
  return taken;
}

function end(line: HostQueue, outcome: SessionOutcome | undefined, board: Board): void {
  const { pacer, gate } = board.parts;
  line.open -= 1;
  pacer.closed(line.destination, outcome);
  gate.closed();
  dispatch(line, board);
  for (const key of pacer.keysOf(line.destination)) wake(key, board);
  forgetIfIdle(line, board);
}

function wake(key: string, board: Board): void {
  const waiting = board.waitingFor.get(key);
  board.waitingFor.delete(key);
  waiting?.forEach((other) => dispatch(other, board));
}

function forgetIfIdle(line: HostQueue, { hosts }: Board): void {
  if (line.open > 0 || line.queue.size() > 0) return;
  line.cancelTimer?.();
  hosts.delete(line.key);
}
