import { defaultLimits } from '../../../engine/src/limits.ts';
import { emptyNamespace, type MemoryNamespace } from '../../../engine/src/memory.ts';
import { createConversationLimiter } from '../../../engine/src/politeness/create-conversation-limiter.ts';
import { createPacer } from '../../../engine/src/politeness/create-pacer.ts';
import { createPolicyBook } from '../../../engine/src/politeness/create-policy-book.ts';
import { createEgressPace, ipProfiles } from '../../../engine/src/politeness/ip-profile.ts';
import { createDomainFacts } from '../../../engine/src/probing/domain-facts.ts';
import { createHostMemory } from '../../../engine/src/probing/host-traits.ts';
import { createProbeScheduler } from '../../../engine/src/probing/probe-scheduler.ts';
import { createProviderBeliefs } from '../../../engine/src/probing/provider-beliefs.ts';
import { usualBlockLists } from '../../../engine/src/reputation/block-lists.ts';
import { readKeptClosure } from '../../../engine/src/reputation/closures.ts';
import { createReputation, type Reputation } from '../../../engine/src/reputation/create-reputation.ts';
import { createRoutes, allEgressIsOurs } from '../../../engine/src/routes/create-routes.ts';
import { scriptedMailHost } from '../../../engine/test/support/scripted-mail-host.ts';
import type { List, Question } from './lists.ts';
import { createReceivers, type Seen } from './receivers.ts';
import {
  ban,
  createScriptedWorld,
  egressAddresses,
  type Said,
  type ScriptedWorld,
} from './scripted-world.ts';
import { pause, type SimulatedClock } from './simulated-clock.ts';

/** The parts of the engine that meet the world, with their defaults; a scripted world, and a record of what was seen. */
export type Records = {
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

export function startEngineParts(clock: SimulatedClock, lists: readonly List[]) {
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
