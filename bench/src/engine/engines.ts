/** The settings and calls that both engines of a benchmark share. */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  createEngine,
  defaultLimits,
  parseCidr,
  parseDnsServer,
  createLists,
  createPolicyBook,
  createResolver,
  ownAddresses,
  systemClock,
  verify,
  type Engine,
  type Limits,
} from '@mailproof/engine';
import { findMailRoute } from '../../../engine/src/dns/mail-route.ts';
import { createConversationLimiter } from '../../../engine/src/politeness/create-conversation-limiter.ts';
import { createDomainFacts, createProviderBeliefs } from '../../../engine/src/probing/domain-facts.ts';
import { createHostReach, createLocalProber } from '../../../engine/src/probing/prober.ts';
import { createHostMemory } from '../../../engine/src/probing/host-traits.ts';
import {
  createPendingProbe,
  settleProbe,
  type PendingProbe,
} from '../../../engine/src/probing/pending-probe.ts';
import type { ProbeScheduler } from '../../../engine/src/probing/probe-scheduler.ts';
import { runSession } from '../../../engine/src/probing/session.ts';
import { createReplyClassifier } from '../../../engine/src/replies/classifier/classify-reply.ts';
import type { Route } from '../../../engine/src/routes/choose-route.ts';
import { createRouteDialer } from '../../../engine/src/routes/create-route-dialer.ts';
import { createMailPortWatch } from '../../../engine/src/routes/watch-mail-port.ts';

type EngineOrder = {
  dnsServers: { ip: string; port: number }[];
  smtpPort: number;
  heloName: string;
  mailFrom: string;
  egressAllow: NonNullable<ReturnType<typeof parseCidr>>[];
  openConversations: number;
  starttls: 'demanded' | 'always';
};

export type EngineLike = Pick<Engine, 'verify' | 'close'> & {
  counts(): { dnsQueries: number; conversations: number };
};

export function orderFor(
  world: { dnsServer: string; smtpPort: number },
  { openConversations, starttls }: Pick<EngineOrder, 'openConversations' | 'starttls'>,
): EngineOrder {
  const server = parseDnsServer(world.dnsServer);
  const loopback = parseCidr('127.0.0.0/8');
  if (server === undefined || loopback === undefined) throw new Error('the world is not on loopback');
  return {
    dnsServers: [server],
    smtpPort: world.smtpPort,
    heloName: 'probe.test',
    mailFrom: 'verify@probe.test',
    egressAllow: [loopback],
    openConversations,
    starttls,
  };
}

function limitsFor({ openConversations }: EngineOrder): Limits {
  return { ...defaultLimits, openConversations };
}

/** The engine as it is, with the limits per destination lifted. */
export function createOurEngine(order: EngineOrder): EngineLike {
  const engine = createEngine({
    ...order,
    pacing: 'off',
    listFiles: {},
    limits: limitsFor(order),
    onProblem: (message) => {
      throw new Error(message);
    },
  });
  return {
    verify: (email, request) => engine.verify(email, request),
    counts() {
      const { dnsQueries, dialled } = engine.counts();
      return { dnsQueries, conversations: dialled };
    },
    close: () => engine.close(),
  };
}

/**
 * Our own engine without pipelining, reuse and memory, as a verifier is usually built. Each address has its own
 * conversation, random probe and DNS questions, one command at a time. It is put together from the engine's own parts,
 * so that what is compared is how they are used and nothing else.
 */
export function createPlainEngine(order: EngineOrder): EngineLike {
  const clock = systemClock;
  const limits = limitsFor(order);
  const onProblem = (message: string): never => {
    throw new Error(message);
  };
  const lists = createLists({ files: {}, onProblem });
  const resolver = createResolver({ servers: order.dnsServers, clock, limits });
  const { uncached } = resolver;
  const policies = createPolicyBook({ pacing: 'off' });
  const mailPort = createMailPortWatch({
    clock,
    limits,
    port: order.smtpPort,
    askKnownHosts: () => Promise.resolve([]),
    onProblem,
  });
  const parts = { order, clock, limits, policies, mailPort };
  const reach = createHostReach({ clock, wallClock: Date, limits });
  const { scheduler, opened } = createPlainScheduler(parts);
  return {
    verify: (email, request) =>
      verify(
        email,
        {
          ...parts,
          lists,
          prober: createLocalProber({ ...parts, scheduler, resolver: uncached, reach }),
          resolver: uncached,
          controls: { askAt: (_group, ask) => ask() },
          mailRoutes: {
            find: ({ host }, patience) =>
              findMailRoute(host, { resolver: uncached, clock, limits }, patience),
            recall: () => undefined,
          },
        },
        request,
      ),
    counts: () => ({ dnsQueries: resolver.counts().queries, conversations: opened() }),
    close() {
      resolver.close();
      lists.close();
    },
  };
}

type Parts = {
  order: EngineOrder;
  clock: typeof systemClock;
  limits: ReturnType<typeof limitsFor>;
  policies: ReturnType<typeof createPolicyBook>;
  mailPort: ReturnType<typeof createMailPortWatch>;
};

/** As many conversations at once as the engine has, each about one address, and none remembers another. */
function createPlainScheduler(parts: Parts): { scheduler: ProbeScheduler; opened: () => number } {
  const { clock, limits, policies, order } = parts;
  const gate = createConversationLimiter({ clock, openConversations: order.openConversations });
  const route = createPlainRoute(parts);
  const classify = createReplyClassifier(limits.replyMeanings);
  const counts = { open: 0, opened: 0 };

  async function converse(probe: PendingProbe): Promise<void> {
    gate.opened();
    counts.open += 1;
    counts.opened += 1;
    const destination = { target: probe.target, policy: policies.policyFor(probe.target.host) };
    const supply = {
      take: () => [],
      hasOthersOpen: () => false,
      giveBack: (probes: readonly PendingProbe[]) =>
        probes.forEach((given) => settleProbe(given, { kind: 'not_connected' })),
    };
    await runSession(
      { destination, first: probe, supply, number: counts.opened },
      {
        ...parts,
        route,
        heloName: route.heloName,
        classify,
        starttls: 'demanded',
        hosts: createHostMemory(clock, limits),
        facts: createDomainFacts({
          clock,
          limits,
          beliefs: createProviderBeliefs({ clock, limits, onProblem: () => undefined }),
        }),
        madeUpLocalPart: () => `no-such-user-${randomBytes(8).toString('hex')}`,
      },
    );
    counts.open -= 1;
    gate.closed();
  }

  return {
    opened: () => counts.opened,
    scheduler: {
      ask(request, patience) {
        const probe = createPendingProbe(request, patience, clock);
        const begin = (): void => {
          if (gate.mayOpen(begin)) void converse(probe);
        };
        begin();
        return probe.visit;
      },
      counts: () => ({ waiting: 0, open: counts.open }),
    },
  };
}

function createPlainRoute({ order, clock, limits }: Parts): Route {
  const { smtpPort: port, egressAllow: allow, heloName, mailFrom } = order;
  const dialer = createRouteDialer(
    { id: 'default', kind: 'direct' },
    { port, clock, limits, allow, ownAddresses },
  );
  return {
    id: 'default',
    heloName,
    mailFrom,
    async dial(target, patience) {
      const dialled = await dialer.dial(target, patience);
      if (dialled.kind === 'connected') hidePipelining(dialled.socket);
      return dialled;
    },
  };
}

const offered = 'PIPELINING';

/**
 * The host's offer is made unreadable before anybody reads it, in the bytes themselves, so that hiding it costs next to
 * nothing. The reader of the socket resumes it.
 */
function hidePipelining(socket: Socket): void {
  socket.pause();
  socket.on('data', function hide(bytes: Buffer): void {
    const at = bytes.indexOf(offered);
    if (at < 0) return;
    bytes.fill('X', at, at + offered.length);
    socket.off('data', hide);
  });
}
