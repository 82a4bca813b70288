import type { Asker, FairQueue, ServingRule } from '../fair-queue.ts';
import type { Patience } from '../patience.ts';
import type { OpenConversation, Pacer } from '../politeness/create-pacer.ts';
import type { ConversationLimiter } from '../politeness/create-conversation-limiter.ts';
import { unlimitedPace, type EgressPace } from '../politeness/ip-profile.ts';
import type { Destination, PolicyBook } from '../politeness/policy.ts';
import type { SessionOutcome } from '../politeness/session-outcome.ts';
import type { IdentityWatch } from '../identity/watch-identity.ts';
import { createReplyClassifier } from '../replies/classifier/classify-reply.ts';
import type { Reputation } from '../reputation/create-reputation.ts';
import { ownEgressFor, type Route } from '../routes/choose-route.ts';
import type { Routes, EgressRights } from '../routes/create-routes.ts';
import { tracedConversations } from '../traced.ts';
import {
  HostQueues,
  ownIdentity,
  ownership,
  restingVisit,
  wayOut,
  type HostQueue,
  type KnownRest,
} from './host-queues.ts';
import {
  createPendingProbe,
  settleProbe,
  takeBackProbe,
  tellWhenSettled,
  type MailboxRequest,
  type PendingProbe,
  type Visit,
} from './pending-probe.ts';
import type { ProbeSupply } from './roster.ts';
import { runSession } from './session.ts';
import type { SessionOrder, SessionParts } from './session-parts.ts';

/**
 * Decides when a mail host is asked, and for which probes. Requests come in and wait in the queue of their host,
 * single ones first. Sessions go out, as few as will do and only as many as the pacer allows. Probes that wait for
 * the same host share one.
 */
export type ProbeScheduler = {
  ask(request: MailboxRequest, patience: Patience): Promise<Visit>;
  counts(): { waiting: number; open: number };
};

type SchedulerParts = Omit<SessionParts, 'route' | 'heloName' | 'classify'> & {
  pacer: Pacer;
  conversationLimiter: ConversationLimiter;
  /** The rate of connections over all hosts together; without it there is none. */
  egressPace?: EgressPace;
  policies: PolicyBook;
  routes: Routes;
  /** Hears the words of hosts about our addresses; not needed if pacing is off. */
  reputation?: Pick<Reputation, 'note' | 'began'> | undefined;
  /** Tells when a route becomes this process's own; not needed if all are. */
  rights?: Pick<EgressRights, 'onChange'>;
  /** Tells when the check of our own names has come to an end. */
  identity?: Pick<IdentityWatch, 'onChange'>;
};

type Scheduler = {
  parts: SchedulerParts;
  queues: HostQueues;
  /** Queues that wait until a session ends under one of the pacer's keys. */
  blockedBy: Map<string, Set<HostQueue>>;
  /** The parts of every session on a route, made once for all of them. */
  partsOn: WeakMap<Route, SessionParts>;
  /** How many sessions were begun. */
  begun: number;
};

export function createProbeScheduler(parts: SchedulerParts): ProbeScheduler {
  const scheduler: Scheduler = {
    parts,
    queues: new HostQueues(),
    blockedBy: new Map(),
    partsOn: new WeakMap(),
    begun: 0,
  };
  parts.rights?.onChange(() => wake(ownership, scheduler));
  parts.identity?.onChange(() => wake(ownIdentity, scheduler));
  return {
    ask: (request, patience) => ask(request, patience, scheduler),
    counts: () => scheduler.queues.counts(),
  };
}

function ask(request: MailboxRequest, patience: Patience, scheduler: Scheduler): Promise<Visit> {
  const { signal, withdrawn } = patience;
  // The reason of an abort is whatever its owner gave; callers expect exactly that.
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  if (withdrawn?.aborted === true) return Promise.reject(withdrawn.reason as Error);
  const queue = queueFor(request, scheduler);
  const rest = restFor(request, queue, { patience, scheduler });
  if (rest !== undefined) {
    scheduler.queues.forgetIfIdle(queue);
    return Promise.resolve(restingVisit(rest, scheduler.parts.clock.now()));
  }
  const probe = createPendingProbe(request, patience, scheduler.parts.clock);
  queue.waiting.add(probe);
  tellWhenSettled(probe, () => {
    queue.waiting.remove(probe);
    queue.beginning.remove(probe);
    scheduler.queues.forgetIfIdle(queue);
  });
  dispatch(queue, scheduler, request.asker);
  return probe.visit;
}

/** Returns why waiting would be of no use, if that is known beforehand. */
function restFor(
  { address, asker }: MailboxRequest,
  { destination, egress }: HostQueue,
  { patience, scheduler }: { patience: Patience; scheduler: Scheduler },
): KnownRest | undefined {
  const { pacer } = scheduler.parts;
  const ofHost = pacer.restOf(destination);
  if (ofHost !== undefined) return ofHost;
  const ofDomain = pacer.restOfDomain(address.host, destination);
  if (ofDomain !== undefined) return ofDomain;
  const until = pacer.accounts.mayAskFrom(asker.account, destination.policy, egress);
  return until > patience.deadline ? { reason: 'many_unknown', until } : undefined;
}

function queueFor(request: MailboxRequest, scheduler: Scheduler): HostQueue {
  const { queues, parts } = scheduler;
  const { target } = request;
  const policy = parts.policies.policyFor(target.host);
  const egress = request.egress ?? ownEgressFor(request.address.email, policy, parts.routes.ids);
  return queues.of({ target, policy }, egress, (queue) => dispatch(queue, scheduler));
}

/** Begins as many sessions as the waiting probes need and the limits allow; `newcomer` has just begun to wait. */
function dispatch(queue: HostQueue, scheduler: Scheduler, newcomer?: Asker): void {
  const { destination, waiting, beginning } = queue;
  const { pacer, conversationLimiter, egressPace = unlimitedPace } = scheduler.parts;
  const { recipientsPerConversation } = destination.policy.politeness;
  while (beginning.size() > 0 || waiting.size() > queue.arriving * recipientsPerConversation) {
    if (servesOthers(queue, scheduler)) {
      wait(queue, { until: undefined, key: machineKey(queue) }, scheduler);
      return;
    }
    const rest = pacer.restOf(destination);
    if (rest !== undefined) turnAway(queue, restingVisit(rest, scheduler.parts.clock.now()));
    const route = rest === undefined ? chooseRoute(queue, scheduler) : undefined;
    if (route === undefined) return;
    const permission = pacer.mayOpen(destination, route.id);
    if (permission.kind === 'wait') wait(queue, permission, scheduler);
    if (permission.kind !== 'open') return;
    const asking = { asker: newcomer ?? nextAsker(queue), whenFree: queue.dispatch };
    if (!egressPace.mayOpen(route.id, asking) || !conversationLimiter.mayOpen(queue.dispatch)) return;
    const next = takeNext(beginning.size() > 0 ? beginning : waiting, { queue, egress: route.id }, scheduler);
    if (next.kind === 'later') wait(queue, { until: next.from, key: '' }, scheduler);
    if (next.kind !== 'taken') return;
    begin(queue, { route, first: next.probe }, scheduler);
    next.probe.onNamed?.();
  }
}

function nextAsker({ waiting, beginning }: HostQueue): Asker {
  return (beginning.first() ?? waiting.first())?.asker ?? nobodyInParticular;
}

const nobodyInParticular: Asker = { urgency: 'bulk', account: '' };

/** Whether the host serves one client at a time, and that is already one of our sessions. */
function servesOthers({ destination: { target } }: HostQueue, scheduler: Scheduler): boolean {
  return (
    scheduler.parts.hosts.recall(target.host).oneClient === true &&
    scheduler.queues.openAt(target.address) > 0
  );
}

/** The key under which queues wait whose host serves one client at a time. */
function machineKey({ destination }: HostQueue): string {
  return `machine ${destination.target.address}`;
}

type NextProbe =
  | { kind: 'taken'; probe: PendingProbe }
  /** All waiting accounts are slowed down here; the first of them may go on then. */
  | { kind: 'later'; from: number }
  | { kind: 'none' };

/** Takes the next probe that may be asked now. A probe for a domain that is left alone is told so. */
function takeNext(
  waiting: FairQueue<PendingProbe>,
  { queue: { destination }, egress }: { queue: HostQueue; egress: string },
  scheduler: Scheduler,
): NextProbe {
  if (waiting.size() === 0) return nobodyWaits;
  const { pacer, clock } = scheduler.parts;
  let from = Infinity;
  const rule: ServingRule = {
    hasRoom: () => true,
    hasShare(account) {
      const mayAskFrom = pacer.accounts.mayAskFrom(account, destination.policy, egress);
      from = Math.min(from, mayAskFrom);
      return mayAskFrom <= clock.now();
    },
  };
  for (let probe = waiting.take(rule); probe !== undefined; probe = waiting.take(rule)) {
    const rest = pacer.restOfDomain(probe.address.host, destination);
    if (rest === undefined) {
      pacer.accounts.asks(probe.asker.account, { policy: destination.policy, egress });
      return { kind: 'taken', probe };
    }
    settleProbe(probe, probe.held ?? restingVisit(rest, scheduler.parts.clock.now()));
  }
  return waiting.size() === 0 ? nobodyWaits : { kind: 'later', from };
}

const nobodyWaits: NextProbe = { kind: 'none' };

/**
 * Chooses the way out for this host. If there is none for now, the waiting probes are told, or wait for a full
 * minute to pass.
 */
function chooseRoute(queue: HostQueue, scheduler: Scheduler): Route | undefined {
  const { target, policy } = queue.destination;
  const { routes, clock } = scheduler.parts;
  const { address } = target;
  const { group, routes: allowed } = policy;
  const choice = routes.choose({ group, address, allowed, preferred: queue.egress });
  if (choice.kind === 'route') return choice.route;
  const way = wayOut(choice, clock.now());
  if (way.kind === 'wait') wait(queue, way, scheduler);
  else turnAway(queue, way.visit);
  return undefined;
}

/** Tells every probe that waits; one with an answer that was in doubt keeps that. */
function turnAway({ waiting, beginning }: HostQueue, visit: Visit): void {
  for (const queue of [beginning, waiting])
    for (let probe = queue.take(); probe !== undefined; probe = queue.take())
      settleProbe(probe, probe.held ?? visit);
}

/** Waits for an end under the key that is full, or for the clock. */
function wait(
  queue: HostQueue,
  { until, key }: { until: number | undefined; key: string },
  scheduler: Scheduler,
): void {
  const { blockedBy, parts } = scheduler;
  if (until === undefined) {
    blockedBy.set(key, (blockedBy.get(key) ?? new Set()).add(queue));
    return;
  }
  queue.cancelTimer?.();
  queue.cancelTimer = parts.clock.after(until - parts.clock.now(), queue.dispatch);
}

function begin(
  queue: HostQueue,
  { route, first }: { route: Route; first: PendingProbe },
  scheduler: Scheduler,
): void {
  const { destination } = queue;
  const { target, policy } = destination;
  const { routes, pacer, conversationLimiter, egressPace = unlimitedPace } = scheduler.parts;
  egressPace.opened(route.id);
  routes.note(route.id, { kind: 'opened', group: policy.group, address: target.address });
  scheduler.parts.reputation?.began(route.id, policy.group);
  const conversation = pacer.opened(destination, route.id);
  conversationLimiter.opened();
  queue.open += 1;
  const supply = new SessionSupply(queue, { conversation, egress: route.id }, scheduler);
  scheduler.begun += 1;
  const order: SessionOrder = { destination, first, supply, number: scheduler.begun };
  void runTraced(order, partsOn(route, scheduler)).then((outcome) => {
    supply.arrived();
    noteOutcome(route, { destination, outcome }, routes);
    if (outcome !== undefined) scheduler.parts.reputation?.note(route.id, { destination, outcome });
    end(queue, { conversation, outcome }, scheduler);
  });
}

function runTraced(order: SessionOrder, parts: SessionParts): ReturnType<typeof runSession> {
  if (!tracedConversations.hasSubscribers) return runSession(order, parts);
  const traced = { host: order.destination.target.host, route: parts.route.id };
  return tracedConversations.tracePromise(() => runSession(order, parts), traced);
}

type KnownOutcome = { destination: Destination; outcome: SessionOutcome | undefined };

function noteOutcome({ id }: Route, { destination, outcome }: KnownOutcome, routes: Routes): void {
  const { group } = destination.policy;
  const { address } = destination.target;
  if (outcome?.connected === true) routes.note(id, { kind: 'connected', group, address });
  if (outcome?.turnedAway?.meaning.label === 'blocked_or_policy')
    routes.note(id, { kind: 'blocked', group, address });
}

function partsOn(route: Route, { parts, partsOn: known }: Scheduler): SessionParts {
  const before = known.get(route);
  if (before !== undefined) return before;
  const made = {
    ...parts,
    route,
    heloName: route.heloName,
    classify: createReplyClassifier(parts.limits.replyMeanings),
  };
  known.set(route, made);
  return made;
}

/** Supplies a session with probes. A session that takes more than its first has arrived. */
class SessionSupply implements ProbeSupply {
  private readonly queue: HostQueue;
  private readonly opened: OpenedFrom;
  private readonly scheduler: Scheduler;
  private isArriving = true;

  constructor(queue: HostQueue, opened: OpenedFrom, scheduler: Scheduler) {
    this.queue = queue;
    this.opened = opened;
    this.scheduler = scheduler;
    queue.arriving += 1;
  }

  arrived(): void {
    if (!this.isArriving) return;
    this.isArriving = false;
    this.queue.arriving -= 1;
    this.opened.conversation.arrived();
  }

  take(most: number): readonly PendingProbe[] {
    this.arrived();
    const { queue, opened, scheduler } = this;
    return queue.waiting.size() === 0 ? nobody : takeUpTo(most, { queue, egress: opened.egress }, scheduler);
  }

  giveBack(probes: readonly PendingProbe[]): void {
    const { queue, opened, scheduler } = this;
    const asked = { policy: queue.destination.policy, egress: opened.egress };
    for (const probe of probes) {
      scheduler.parts.pacer.accounts.didNotAsk(probe.asker.account, asked);
      if (!takeBackProbe(probe)) continue;
      (probe.opening === undefined ? queue.waiting : queue.beginning).add(probe);
    }
    // A probe may come back after the end of its session, if it waited for another one.
    if (queue.open === 0) dispatch(queue, scheduler);
  }

  hasOthersOpen(): boolean {
    return this.scheduler.queues.openAt(this.queue.destination.target.address) > 1;
  }
}

type OpenedFrom = { conversation: OpenConversation; egress: string };

const nobody: readonly never[] = [];

function takeUpTo(
  most: number,
  from: { queue: HostQueue; egress: string },
  scheduler: Scheduler,
): PendingProbe[] {
  const taken: PendingProbe[] = [];
  while (taken.length < most) {
    const next = takeNext(from.queue.waiting, from, scheduler);
    if (next.kind !== 'taken') break;
    taken.push(next.probe);
    next.probe.onNamed?.();
  }
  return taken;
}

type EndedSession = { conversation: OpenConversation; outcome: SessionOutcome | undefined };

function end(queue: HostQueue, { conversation, outcome }: EndedSession, scheduler: Scheduler): void {
  const { pacer, conversationLimiter } = scheduler.parts;
  queue.open -= 1;
  conversation.closed(outcome);
  conversationLimiter.closed();
  dispatch(queue, scheduler);
  if (scheduler.blockedBy.size > 0)
    for (const key of [machineKey(queue), ...pacer.keysOf(queue.destination)]) wake(key, scheduler);
  scheduler.queues.forgetIfIdle(queue);
}

function wake(key: string, scheduler: Scheduler): void {
  const blocked = scheduler.blockedBy.get(key);
  scheduler.blockedBy.delete(key);
  blocked?.forEach((queue) => dispatch(queue, scheduler));
}
