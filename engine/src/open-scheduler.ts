import type { IdentityWatch } from './identity/watch-identity.ts';
import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { Limits } from './limits.ts';
import type { MemoryNamespace, openNamespaces } from './memory.ts';
import { createConversationLimiter } from './politeness/create-conversation-limiter.ts';
import { createPacer, type Pacer } from './politeness/create-pacer.ts';
import type { EgressPace } from './politeness/ip-profile.ts';
import type { PolicyBook } from './politeness/policy.ts';
import { createDomainFacts, createProviderBeliefs } from './probing/domain-facts.ts';
import { createHostMemory } from './probing/host-traits.ts';
import { createProbeScheduler, type ProbeScheduler } from './probing/probe-scheduler.ts';
import { randomProbeNames } from './probing/made-up-recipients.ts';
import type { Reputation } from './reputation/create-reputation.ts';
import type { Routes, EgressRights } from './routes/create-routes.ts';
import type { MailPortWatch } from './routes/watch-mail-port.ts';

/** The settings of the scheduler, which decides when mail hosts are asked. */
type SchedulerSettings = {
  pacing?: 'on' | 'off';
  sharesEgress?: boolean;
  isAlone?: boolean;
  starttls: 'demanded' | 'always';
  randomProbeKey?: string;
  onProblem(message: string): void;
};

type Base = { settings: SchedulerSettings; clock: Clock; limits: Limits };

export function startPacer({ settings, clock }: Omit<Base, 'limits'>, memory: MemoryNamespace): Pacer {
  return createPacer({
    clock,
    memory,
    random: Math.random,
    backsOff: settings.pacing !== 'off',
    sharesEgress: settings.sharesEgress === true && settings.isAlone !== true,
    // One host that is down is the host's business; a provider that turns away from us is the operator's.
    onRest: ({ key, reason, forMs }) => {
      const minutes = Math.ceil(forMs / 60_000);
      if (key.startsWith('group '))
        settings.onProblem(`${key.slice(6)} is left alone for ${minutes} min: ${reason}`);
    },
  });
}

type SchedulerNeeds = {
  policies: PolicyBook;
  routes: Routes;
  reputation: Reputation | undefined;
  rights: EgressRights;
  identity: IdentityWatch;
  mailPort: MailPortWatch;
  pacer: Pacer;
  egressPace: EgressPace;
  memoryOf: ReturnType<typeof openNamespaces>;
};

export function openScheduler(
  { settings, clock, limits }: Base,
  { memoryOf, ...needs }: SchedulerNeeds,
): ProbeScheduler {
  const beliefs = createProviderBeliefs({
    clock,
    limits,
    memory: memoryOf('belief'),
    onProblem: (message) => settings.onProblem(message),
  });
  return createProbeScheduler({
    ...needs,
    clock,
    limits,
    starttls: settings.starttls,
    hosts: createHostMemory(clock, limits, memoryOf('host_traits')),
    facts: createDomainFacts({ clock, limits, memory: memoryOf('catch_all'), beliefs }),
    madeUpLocalPart: randomProbeNames(settings.randomProbeKey ?? randomBytes(32).toString('hex')),
    conversationLimiter: createConversationLimiter({ clock, openConversations: limits.openConversations }),
  });
}
