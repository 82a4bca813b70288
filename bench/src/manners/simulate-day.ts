import { setImmediate as nextRound } from 'node:timers/promises';
import { parseAddress, type Address, type CanonicalHost } from '@mailproof/engine';
import { defaultLimits } from '../../../engine/src/limits.ts';
import { createConversationLimiter } from '../../../engine/src/politeness/create-conversation-limiter.ts';
import { createPacer } from '../../../engine/src/politeness/create-pacer.ts';
import { createPolicyBook } from '../../../engine/src/politeness/create-policy-book.ts';
import { createEgressPace, ipProfiles } from '../../../engine/src/politeness/ip-profile.ts';
import { createDomainFacts } from '../../../engine/src/probing/domain-facts.ts';
import { createHostMemory } from '../../../engine/src/probing/host-traits.ts';
import { createProbeScheduler } from '../../../engine/src/probing/probe-scheduler.ts';
import { createProviderBeliefs } from '../../../engine/src/probing/provider-beliefs.ts';
import { createRoutes } from '../../../engine/src/routes/create-routes.ts';
import { scriptedMailHost } from '../../../engine/test/support/scripted-mail-host.ts';
import { createReceivers, type Seen } from './receivers.ts';
import { createSimulatedClock, type SimulatedClock } from './simulated-clock.ts';

/**
 * A day on a simulated clock: three accounts with a list each, one of them dirty, and single verifications beside them,
 * from two egress addresses. The scheduler, the pacer, the brake and the routes are the engine's own, with their
 * defaults; the mail hosts are scripted and count what they see.
 */
export type Day = {
  seen: Seen;
  accounts: AccountDay[];
};

export type AccountDay = {
  account: string;
  addresses: number;
  answered: number;
  /** When the last one was answered. */
  tookMs: number;
  /** How long single verifications waited, in order. */
  singleWaitsMs: number[];
};

export type Question = { address: Address; host: CanonicalHost; ip: string; isDead: boolean };
export type List = { account: string; questions: readonly Question[]; singles: readonly Question[] };

const dayMs = 86_400_000;
const underWayAtOnce = 150;
const probeMs = 1_800_000;
const singleMs = 30_000;
const singleEveryMs = 300_000;
/** An address that was put off is asked for again by its list; at the end of the day it is `unknown`. */
const leastRetryMs = 60_000;

export async function simulateDay(lists: readonly List[]): Promise<Day> {
  const clock = createSimulatedClock();
  const { seen, scheduler } = startScheduler(clock, lists);
  const accounts = lists.map((list) => ({ list, day: emptyDay(list) }));
  let open = 0;

  async function ask(
    question: Question,
    { account, urgency }: { account: string; urgency: 'single' | 'bulk' },
  ) {
    const target = { host: question.host, address: question.ip };
    const deadline = clock.now() + (urgency === 'single' ? singleMs : probeMs);
    const signal = new AbortController().signal;
    return scheduler.ask(
      { address: question.address, target, asker: { account, urgency } },
      { deadline, signal },
    );
  }

  /** One after the other, `underWayAtOnce` side by side. */
  async function work(pending: Question[], account: string, day: AccountDay): Promise<void> {
    for (let question = pending.shift(); question !== undefined; question = pending.shift()) {
      const visit = await ask(question, { account, urgency: 'bulk' });
      if (visit.kind === 'answered') {
        day.answered += 1;
        day.tookMs = clock.now();
        continue;
      }
      const again = question;
      const restMs = visit.kind === 'resting' ? (visit.forMs ?? leastRetryMs) : leastRetryMs;
      if (clock.now() + restMs > dayMs) continue;
      await pause(Math.max(leastRetryMs, restMs), clock);
      pending.push(again);
    }
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
    const pending = [...list.questions];
    for (let n = 0; n < underWayAtOnce; n += 1) track(work(pending, list.account, day));
    track(askSingles(list, day));
  }
  while (open > 0) {
    if (!clock.step(Infinity)) await nextRound();
    await nextRound();
  }
  return { seen, accounts: accounts.map(({ day }) => day) };
}

function emptyDay({ account, questions }: List): AccountDay {
  return { account, addresses: questions.length, answered: 0, tookMs: 0, singleWaitsMs: [] };
}

function pause(ms: number, clock: SimulatedClock): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

function startScheduler(clock: SimulatedClock, lists: readonly List[]) {
  const living = new Set<string>();
  for (const { questions, singles } of lists)
    for (const { address, isDead } of [...questions, ...singles]) if (!isDead) living.add(address.email);
  const policies = createPolicyBook({ pacing: 'on' });
  const seen = createReceivers(policies);
  const wallClock = { now: () => clock.now() };
  let dialled = 0;
  const routes = createRoutes({
    settings: [
      { id: 'first', kind: 'direct' },
      { id: 'second', kind: 'direct' },
    ],
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
      async dial({ host }) {
        const conversation = seen.connected(host, id, clock.now());
        // From a fifth of a second to two seconds until the host speaks.
        await pause(200 + ((dialled += 7) % 1_800), clock);
        const socket = scriptedMailHost((recipient) => {
          const isUnknown = !living.has(recipient);
          conversation.named({ at: clock.now(), isUnknown, isMadeUp: recipient.startsWith('madeup') });
          return isUnknown ? '550 5.1.1 The account does not exist' : '250 2.1.5 OK';
        });
        return { kind: 'connected', socket };
      },
    }),
  });
  const scheduler = createProbeScheduler({
    clock,
    limits: defaultLimits,
    routes,
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
  return { seen, scheduler };
}

export function addressOf(email: string): Address {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') throw new Error(email);
  return parsed.address;
}
