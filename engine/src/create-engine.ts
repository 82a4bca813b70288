import { randomBytes } from 'node:crypto';
import { systemClock } from './clock.ts';
import { createControlName } from './dns/control-name.ts';
import { createResolver } from './dns/create-resolver.ts';
import { findMailRoute } from './dns/find-mail-route.ts';
import { mailTargets } from './dns/mail-targets.ts';
import { systemServers } from './dns/system-servers.ts';
import type { Cidr } from './egress/parse-cidr.ts';
import { createDialer } from './egress/create-dialer.ts';
import { ownAddresses } from './egress/own-addresses.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { createLists, type OperatorFiles } from './lists/load-lists.ts';
import { createPacer } from './pace/create-pacer.ts';
import { createProcessGate } from './pace/create-process-gate.ts';
import { createPolicyBook } from './policy/create-policy-book.ts';
import { askMailbox } from './smtp/ask-mailbox.ts';
import { createCatchAllMemory } from './smtp/catch-all-memory.ts';
import { createCatchAllDesk } from './smtp/catch-all-desk.ts';
import { createHostMemory } from './smtp/host-traits.ts';
import { createSwitchboard } from './smtp/switchboard.ts';
import { canonicalHost } from './syntax/canonical-host.ts';
import { verify, type Outcome, type VerifyParts, type VerifyRequest } from './verify.ts';

/** How an engine is set up. Plain values; who reads them from where is not the engine's business. */
export type EngineSettings = {
  /** Recursive resolvers to ask; none means the system's. */
  dnsServers: { ip: string; port: number }[];
  smtpPort: number;
  heloName: string;
  mailFrom: string;
  /** Blocks outside public address space that may be dialled all the same. */
  egressAllow: Cidr[];
  /** STARTTLS only where a host demands it, or wherever it is offered. */
  starttls: 'demanded' | 'always';
  listFiles: OperatorFiles;
  /** `off` lifts every limit of rate and concurrency per destination; what one conversation may hold stays. */
  pacing?: 'on' | 'off';
  limits?: Partial<Limits>;
  /** Told, in one line, of what the operator should know (a list file that went bad …). */
  onProblem(message: string): void;
};

export type Engine = {
  verify(email: string, request: VerifyRequest): Promise<Outcome>;
  /** What left this machine so far. */
  counts(): { dnsQueries: number; dialled: number; forbidden: number };
  /** Lets go of every socket and file. */
  close(): void;
};

/** Puts the real parts together: this machine's clock, sockets, lists and memory. */
export function createEngine(settings: EngineSettings): Engine {
  const clock = systemClock;
  const limits = { ...defaultLimits, ...settings.limits };
  const servers = settings.dnsServers.length > 0 ? settings.dnsServers : systemServers();
  const resolver = createResolver({ servers, clock, limits });
  const control = controlName(settings.mailFrom, { resolver, clock });
  const lists = createLists({
    files: settings.listFiles,
    onProblem: (message) => settings.onProblem(message),
  });
  const dialer = createDialer({
    port: settings.smtpPort,
    clock,
    limits,
    allow: settings.egressAllow,
    ownAddresses,
  });
  const policies = createPolicyBook({ pacing: settings.pacing ?? 'on' });
  const switchboard = createSwitchboard({
    clock,
    limits,
    dialer,
    policies,
    heloName: settings.heloName,
    mailFrom: settings.mailFrom,
    starttls: settings.starttls,
    hosts: createHostMemory(clock, limits),
    desk: createCatchAllDesk(createCatchAllMemory(clock, limits)),
    randomLocalPart: () => `no-such-user-${randomBytes(8).toString('hex')}`,
    gate: createProcessGate({ clock, openConversations: limits.openConversations }),
    pacer: createPacer({
      clock,
      random: Math.random,
      backsOff: settings.pacing !== 'off',
      onRest: () => undefined,
    }),
  });
  const parts: VerifyParts = {
    clock,
    lists,
    findMailRoute: (address, patience) =>
      findMailRoute(address.host, { resolver, clock, limits, control }, patience),
    askMailbox: (address, route, request) =>
      askMailbox(
        {
          address,
          asker: request.asker ?? { urgency: 'single', account: '' },
          first: route.first.name,
          targets: (patience) => mailTargets(route, { resolver, limits }, patience),
        },
        { limits, policies, switchboard },
        request,
      ),
  };
  return {
    verify: (email, request) => verify(email, parts, request),
    counts: () => ({ dnsQueries: resolver.counts().queries, ...dialer.counts }),
    close() {
      resolver.close();
      lists.close();
    },
  };
}

/** The operator's own domain, by which "no such name" is checked; none where the sender has no real one. */
function controlName(mailFrom: string, parts: Omit<Parameters<typeof createControlName>[0], 'name'>) {
  const name = canonicalHost(mailFrom.slice(mailFrom.lastIndexOf('@') + 1));
  return name === undefined ? undefined : createControlName({ ...parts, name });
}
