import { setImmediate as nextRound } from 'node:timers/promises';
import { defaultLimits } from '../../../engine/src/limits.ts';
import { emptyNamespace, type MemoryNamespace } from '../../../engine/src/memory.ts';
import { createConversationLimiter } from '../../../engine/src/politeness/create-conversation-limiter.ts';
import { createPacer } from '../../../engine/src/politeness/create-pacer.ts';
import { createPolicyBook } from '../../../engine/src/politeness/create-policy-book.ts';
import { createEgressPace, ipProfiles } from '../../../engine/src/politeness/ip-profile.ts';
import { createDomainFacts, createProviderBeliefs } from '../../../engine/src/probing/domain-facts.ts';
import { createHostMemory } from '../../../engine/src/probing/host-traits.ts';
import { createProbeScheduler } from '../../../engine/src/probing/probe-scheduler.ts';
import { usualBlockLists } from '../../../engine/src/reputation/block-lists.ts';
import { readKeptClosure } from '../../../engine/src/reputation/closures.ts';
import { createReputation, type Reputation } from '../../../engine/src/reputation/create-reputation.ts';
import { allEgressIsOurs, createRoutes } from '../../../engine/src/routes/create-routes.ts';
import { scriptedMailHost } from '../../../engine/test/support/scripted-mail-host.ts';
import type { List, Question } from './lists.ts';
import {
  dayMs,
  hourMs,
  createSimulatedClock,
  pause,
  createReceivers,
  ban,
  createScriptedWorld,
  egressAddresses,
  type Seen,
  type Said,
  type ScriptedWorld,
  type SimulatedClock,
} from './scripted-world.ts';

/**
 * A day on a simulated clock: three accounts with a list each, one of them dirty, and single verifications beside them,
 * from two egress addresses. The scheduler, the pacer, the brake, the routes and the watch over our reputation are the
 * engine's own, with their defaults. Mail hosts and block lists are scripted and count what they see.
 */
export type Day = Records & { accounts: AccountDay[] };

type AccountDay = {
  account: string;
  addresses: number;
  answered: number;
  /** The host said something of our address instead. */
  refused: number;
  /** The provider bans the address that would ask, until the next day. */
  putOff: number;
  /** When the last one of midnight's was answered. */
  tookMs: number;
  /** How long single verifications waited, in order. */
  singleWaitsMs: number[];
};

const underWayAtOnce = 150;
const probeMs = 1_800_000;
const singleMs = 30_000;
const singleEveryMs = 300_000;
/** An address that was put off is asked for again by its list; at the end of the day it is `unknown`. */
const leastRetryMs = 60_000;

type AskedBy = { account: string; urgency: 'single' | 'bulk' };

export async function simulateDay(lists: readonly List[]): Promise<Day> {
  const clock = createSimulatedClock();
  const { scheduler, reputation, records } = startEngineParts(clock, lists);
  const accounts = lists.map((list) => ({ list, day: emptyDay(list) }));
  let open = 0;

  async function ask(question: Question, { account, urgency }: AskedBy) {
    const target = { host: question.host, address: question.ip };
    const deadline = clock.now() + (urgency === 'single' ? singleMs : probeMs);
    const signal = new AbortController().signal;
    return scheduler.ask(
      { address: question.address, target, asker: { account, urgency } },
      { deadline, signal },
    );
  }

  /** Asks until there is an answer, or until none can come today. */
  async function settle(question: Question, day: AccountDay): Promise<void> {
    for (;;) {
      const visit = await ask(question, { account: day.account, urgency: 'bulk' });
      if (visit.kind === 'answered') {
        if (visit.evidence.meaning.label === 'blocked_or_policy') day.refused += 1;
        else day.answered += 1;
        return;
      }
      const restMs = visit.kind === 'resting' ? (visit.forMs ?? leastRetryMs) : leastRetryMs;
      if (clock.now() + restMs > dayMs) {
        if (visit.kind === 'resting' && visit.reason === 'provider_bans_us') day.putOff += 1;
        return;
      }
      await pause(Math.max(leastRetryMs, restMs), clock);
    }
  }

  /** One after the other; several of these work side by side. */
  async function work(pending: Iterator<Question>, at: number, day: AccountDay): Promise<void> {
    await pause(at, clock);
    for (let next = pending.next(); next.done !== true; next = pending.next()) {
      await settle(next.value, day);
      if (at === 0) day.tookMs = clock.now();
    }
  }

  async function askLater(question: Question, at: number, day: AccountDay): Promise<void> {
    await pause(at, clock);
    await settle(question, day);
  }

  async function askSingles({ account, singles }: List, day: AccountDay): Promise<void> {
    for (const question of singles) {
      await pause(singleEveryMs, clock);
      const askedAt = clock.now();
      await ask(question, { account, urgency: 'single' });
      day.singleWaitsMs.push(clock.now() - askedAt);
    }
  }

  const track = (work_: Promise<void>): void => {
    open += 1;
    void work_.finally(() => (open -= 1));
  };
  for (const { list, day } of accounts) {
    for (const { at, questions } of list.bursts) {
      const pending = questions.values();
      for (let n = 0; n < underWayAtOnce; n += 1) track(work(pending, at, day));
    }
    const everyMs = (dayMs - hourMs) / list.oneByOne.length;
    list.oneByOne.forEach((question, n) => track(askLater(question, n * everyMs, day)));
    track(askSingles(list, day));
  }
  while (open > 0) {
    if (!clock.step(Infinity)) await nextRound();
    await nextRound();
  }
  reputation.stop();
  return { ...records, accounts: accounts.map(({ day }) => day) };
}

function emptyDay({ account, bursts, oneByOne }: List): AccountDay {
  const addresses = bursts.reduce((sum, { questions }) => sum + questions.length, oneByOne.length);
  return { account, addresses, answered: 0, refused: 0, putOff: 0, tookMs: 0, singleWaitsMs: [] };
}

/** The parts of the engine that meet the world, with their defaults; a scripted world, and a record of what was seen. */
type Records = {
  /** What receivers saw. */
  seen: Seen;
  /** Words of hosts and lists about our addresses, in order. */
  said: readonly Said[];
  /** Closures and bans of our addresses, in order. */
  learnt: readonly Learnt[];
  /** Messages to the operator, in order. */
  told: readonly { at: number; line: string }[];
};

export type Learnt =
  | { at: number; egress: string; kind: 'listed' | 'suspected' | 'open' }
  | { at: number; egress: string; kind: 'banned'; group: string; until: number };

type Parts = {
  clock: SimulatedClock;
  wallClock: { now(): number };
  world: ScriptedWorld;
  seen: Seen;
  policies: ReturnType<typeof createPolicyBook>;
};

const routeIds = Object.keys(egressAddresses);

function startEngineParts(clock: SimulatedClock, lists: readonly List[]) {
  // Spread, so that one address can go on when the provider bans the other.
  const providers = new Map<string, { spread: number }>([[ban.group, { spread: 2 }]]);
  const policies = createPolicyBook({ pacing: 'on', file: { providers, routes: [], canaries: [] } });
  const wallClock = { now: () => Math.round(clock.now()) };
  const seen = createReceivers(policies);
  const world = createScriptedWorld(clock);
  const parts: Parts = { clock, wallClock, world, seen, policies };
  const { reputation, learnt, told } = watchReputation(parts);
  const scheduler = startScheduler(lists, reputation, parts);
  const records: Records = { seen, said: world.said, learnt, told };
  return { scheduler, reputation, records };
}

function watchReputation({ clock, wallClock, world }: Parts) {
  const learnt: Learnt[] = [];
  const told: { at: number; line: string }[] = [];
  const reputation = createReputation({
    clock,
    wallClock,
    limits: defaultLimits,
    memory: recordLearnt(learnt, clock),
    lists: usualBlockLists,
    egress: routeIds,
    rights: allEgressIsOurs,
    addressesOf: (egress) => Promise.resolve([egressAddresses[egress as keyof typeof egressAddresses]]),
    askIpv4: world.askIpv4,
    onProblem: (line) => void told.push({ at: clock.now(), line }),
  });
  return { reputation, learnt, told };
}

/** The memory that outlives a restart is also the record of the day. */
function recordLearnt(learnt: Learnt[], clock: SimulatedClock): MemoryNamespace {
  return {
    ...emptyNamespace,
    learn(key, value) {
      const at = clock.now();
      const kept = readKeptClosure(key, value, at);
      if (kept?.kind === 'ban') learnt.push({ ...kept.ban, at, kind: 'banned' });
      else if (kept !== undefined) learnt.push({ at, kind: kept.closure.kind, egress: kept.egress });
      else if (key.startsWith('egress ')) learnt.push({ at, kind: 'open', egress: key.slice(7) });
    },
  };
}

function startScheduler(lists: readonly List[], reputation: Reputation, parts: Parts) {
  const { clock, wallClock, policies } = parts;
  const dialFrom = scriptedDialer(lists, parts);
  const routes = createRoutes({
    settings: routeIds.map((id) => ({ id, kind: 'direct' })),
    reputation,
    defaults: { heloName: 'probe.test', mailFrom: 'verify@probe.test' },
    clock,
    wallClock,
    limits: defaultLimits,
    heedsBlocks: true,
    onProblem: (problem) => {
      throw new Error(problem);
    },
    dialerFor: ({ id }) => ({
      counts: { dialled: 0, forbidden: 0, breaches: 0 },
      dial: async ({ host }) => ({ kind: 'connected', socket: await dialFrom(id, host) }),
    }),
  });
  return createProbeScheduler({
    clock,
    limits: defaultLimits,
    routes,
    reputation,
    policies,
    mailPort: { note: () => undefined },
    starttls: 'demanded',
    hosts: createHostMemory(clock, defaultLimits),
    facts: createDomainFacts({
      clock,
      limits: defaultLimits,
      beliefs: createProviderBeliefs({ clock, limits: defaultLimits, onProblem: () => undefined }),
    }),
    madeUpLocalPart: () => 'madeup',
    conversationLimiter: createConversationLimiter({
      clock,
      openConversations: defaultLimits.openConversations,
    }),
    egressPace: createEgressPace(ipProfiles.established, clock),
    pacer: createPacer({
      clock,
      random: () => 0.5,
      sharesEgress: false,
      backsOff: true,
      onRest: ({ key, reason }) => {
        throw new Error(`${key} rests: ${reason}`);
      },
    }),
  });
}

/** Connects to mail hosts that answer as the world has it, and notes what they see. */
function scriptedDialer(lists: readonly List[], { clock, world, seen, policies }: Parts) {
  const asked = lists.flatMap(questionsOf);
  const living = new Set(asked.filter(({ isDead }) => !isDead).map(({ address }) => address.email));
  const tempers = new Map(asked.map(({ host, temper }) => [host as string, temper]));
  let dialled = 0;
  return async (egress: string, host: string) => {
    const temper = tempers.get(host) ?? { kind: 'honest' };
    const { group } = policies.policyFor(host);
    const conversation = seen.connected(host, egress, clock.now());
    // From a fifth of a second to two seconds until the host speaks.
    await pause(200 + ((dialled += 7) % 1_800), clock);
    return scriptedMailHost((recipient) => {
      const refusal = world.refusalOf({ temper, group, egress });
      const known = living.has(recipient) ? 'taken' : 'unknown';
      const said = refusal === undefined ? known : 'refused';
      conversation.named({ at: clock.now(), said, isMadeUp: recipient.startsWith('madeup') });
      return refusal ?? (said === 'unknown' ? '550 5.1.1 The account does not exist' : '250 2.1.5 OK');
    });
  };
}

function questionsOf({ bursts, oneByOne, singles }: List): Question[] {
  return [...bursts.flatMap(({ questions }) => questions), ...oneByOne, ...singles];
}
