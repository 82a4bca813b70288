import { randomBytes } from 'node:crypto';
import { systemClock, type Clock } from './clock.ts';
import type { Evidence } from './evidence.ts';
import { openEgress, type EngineEgress } from './engine-egress.ts';
import {
  lookUp,
  recall,
  verify,
  type Outcome,
  type Recalled,
  type VerifyParts,
  type VerifyRequest,
} from './verify.ts';
import { createLookupQueue } from './fair-queue.ts';
import { openScheduler, startPacer } from './open-scheduler.ts';
import { createResolver, systemServers, type DnsResolver } from './dns/create-resolver.ts';
import { openMailRoutes, type MailRoutes } from './dns/open-mail-routes.ts';
import { resolveHost, type MailRoute } from './dns/mail-route.ts';
import type { ResolverState } from './dns/watch-resolver.ts';
import type { Cidr } from './ip-address.ts';
import { createRouteDialer } from './routes/create-route-dialer.ts';
import {
  createRoutes,
  allEgressIsOurs,
  createEgressRights,
  type Routes,
  type RouteState,
  type EgressRights,
} from './routes/create-routes.ts';
import { keepRoutes } from './routes/keep-routes.ts';
import { startCanaries } from './routes/start-canaries.ts';
import { createMailPortWatch, type MailPortState, type MailPortWatch } from './routes/watch-mail-port.ts';
import { isPublicAddress, watchOwnAddresses, createReachesIpv6 } from './egress/own-addresses.ts';
import { openIdentity, type IdentityWatch, type RouteIdentity } from './identity/watch-identity.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { openNamespaces, type EngineMemory } from './memory.ts';
import { createLists, type OperatorFiles } from './lists/load-lists.ts';
import { nearProvider } from './lists/large-providers.ts';
import type { Pacer } from './politeness/create-pacer.ts';
import { createEgressPace, ipProfiles, type IpProfile } from './politeness/ip-profile.ts';
import { openReputation, type ReputationState } from './reputation/create-reputation.ts';
import { createPolicyBook } from './politeness/create-policy-book.ts';
import type { PolicyBook, PolicyFile } from './politeness/policy.ts';
import { createHostReach, createLocalProber, type Prober } from './probing/prober.ts';
import { createControlMailboxes } from './probing/control-mailboxes.ts';
import type { ProbeScheduler } from './probing/probe-scheduler.ts';
import { createAnswerSharing, type AnswerSharing } from './probing/share-answers.ts';
import { canonicalHost } from './syntax/canonical-host.ts';
import type { Address, CanonicalHost } from './syntax/address.ts';
import { conclusiveStatuses, judge } from './verdict.ts';

/** The settings of an engine, as plain values; reading them is not the engine's business. */
export type EngineSettings = {
  /** Recursive resolvers to ask; none means the system's. */
  dnsServers: { ip: string; port: number }[];
  /** Names that must exist, by which the resolvers are tried; none in a closed network. */
  resolverProbes?: readonly string[];
  smtpPort: number;
  heloName: string;
  mailFrom: string;
  /**
   * The addresses from which mail hosts see us come, if this machine has no public address of its own
   * (`seenAddresses`).
   */
  publicAddresses?: readonly string[];
  /** `off`: public mail hosts are asked under any HELO name and sender. */
  identityCheck?: 'on' | 'off';
  /** Blocks outside public address space that may still be dialled. */
  egressAllow: Cidr[];
  /** STARTTLS only if a host demands it, or whenever it is offered. */
  starttls: 'demanded' | 'always';
  listFiles: OperatorFiles;
  /** The folder of the operator's renewed lists (`domain-lists update`); none: the built-in ones. */
  renewedListsIn?: string | undefined;
  /** The operator's own policies, routes and canaries. */
  policyFile?: PolicyFile | undefined;
  /** Providers that are not asked, unless the policy file asks them; none by default. */
  providersLeftOut?: readonly string[];
  /** Zones of the block lists that the egress addresses are looked up in; none by default. */
  blockLists?: readonly string[];
  /** `off` lifts every limit of rate and concurrency per destination; the limits of one conversation stay. */
  pacing?: 'on' | 'off';
  /** How long a conclusive answer of a mail host is given again; 0, as by default: never. */
  reuseMs?: number;
  /** Whether a prober outside may be believed now (`askedBy` of its evidence). */
  isBelieved?(prober: string): boolean;
  /** The limits of an egress address over all destinations; `established` unless stated, `private` if pacing is off. */
  ipProfile?: IpProfile;
  limits?: Partial<Limits>;
  /** The memory that outlives this process; without it the engine starts from zero. */
  memory?: EngineMemory;
  /**
   * Whether other processes have the same egress addresses. Then nothing is asked from one before it was given to
   * this engine (`egress`). Otherwise all are its own.
   */
  sharesEgress?: boolean;
  /** Whether the rate of connections heeds that: not if this process is alone. */
  isAlone?: boolean;
  /**
   * A secret that made-up names are derived from, so that a greylisting host is asked for the same one again after
   * a restart. Without it each process has its own.
   */
  randomProbeKey?: string;
  /** Chooses the prober for `verify`, if it is not this process's own prober alone. */
  chooseProber?(local: Prober, policies: PolicyBook): Prober;
  /** Whether another process may ask mail hosts now, perhaps from another network. */
  mayAskElsewhere?(): boolean;
  /** Called with one line for the operator (a list file that went bad …). */
  onProblem(message: string): void;
};

/** The state of an engine for operators, with its closed egress addresses and the providers that ban one. */
export type EngineHealth = ReputationState & {
  resting: ReturnType<Pacer['resting']>;
  routes: RouteState[];
  mailPort: MailPortState;
  /** For each egress route that was looked at: whether its HELO name and sender are ours. */
  identity: RouteIdentity[];
  resolver: ResolverState;
  /** Providers that refuse control mailboxes, by id or group. */
  doubtedProviders: string[];
  conversations: ReturnType<ProbeScheduler['counts']>;
};

type EngineCounts = ReturnType<Routes['counts']> & {
  dnsQueries: number;
  dnsFailures: ReturnType<DnsResolver['counts']>['failures'];
};

export type Engine = {
  verify(email: string, request: VerifyRequest): Promise<Outcome>;
  /** Returns the verdict, if it can be given at once without sending a packet. */
  recall(address: Address): Recalled | undefined;
  /** Returns the evidence of lists and DNS for an address; its mail host is not asked. */
  lookUp(address: Address, request: VerifyRequest): Promise<Evidence>;
  /**
   * Returns the large provider that the domain is one slip away from, unless it is well known itself. Nothing is
   * looked up.
   */
  nearProvider(address: Address): string | undefined;
  /** Returns the mail route of a domain. */
  findMailRoute(address: Address, request: VerifyRequest): Promise<MailRoute>;
  /** Asks mail hosts from this process, whichever prober `verify` uses. */
  prober: Prober;
  /** The kept answers of probers outside. */
  answers: Pick<AnswerSharing, 'forgetFrom' | 'probers'>;
  egress: EngineEgress;
  /** Counts of the packets and conversations that left this machine so far. */
  counts(): EngineCounts;
  /** The state for an operator: hosts left alone, routes, whether mail hosts can be reached at all. */
  health(): EngineHealth;
  /** Lets go of every socket and file. */
  close(): void;
};

/** Puts the real parts together: this machine's clock, sockets, lists and memory. */
export function createEngine(settings: EngineSettings): Engine {
  const base = createBase(settings);
  const { clock, limits, reachesIpv6 } = base;
  const onProblem = (message: string): void => settings.onProblem(message);
  const lists = createLists({ files: settings.listFiles, renewedIn: settings.renewedListsIn, onProblem });
  const servers = settings.dnsServers.length > 0 ? settings.dnsServers : systemServers();
  const resolver = createResolver({ servers, clock, limits });
  const { policyFile: file, pacing = 'on', providersLeftOut: leftOut } = settings;
  const policies = createPolicyBook({ file, pacing, leftOut });
  const { mailRoutes, resolverWatch } = findRoutes(base, resolver);
  const memoryOf = openNamespaces(settings.memory);
  const rights = settings.sharesEgress === true ? createEgressRights(clock) : allEgressIsOurs;
  const identity = openIdentity(settings, { clock, limits, resolver, mailRoutes, rights });
  const ways = openRoutes(base, { rights, identity, resolver, memoryOf });
  const { routes, reputation } = ways;
  const { mailPort, canaries } = watchMailPort(base, { resolver, routes, mailRoutes, rights });
  const pacer = startPacer(base, memoryOf('rest'));
  const egressPace = createEgressPace(profileOf(settings), clock);
  const waysAndLimits = { ...ways, identity, mailPort, pacer, egressPace };
  const scheduler = openScheduler(base, { ...waysAndLimits, policies, memoryOf });
  const reach = createHostReach({ clock, wallClock: Date, limits, memory: memoryOf('host_reach') });
  const reaching = { limits, resolver, reachesIpv6, reach };
  const localProber = createLocalProber({ ...reaching, policies, scheduler, mailPort });
  const prober = settings.chooseProber?.(localProber, policies) ?? localProber;
  const sharing = shareAnswers(base, prober);
  const asking = {
    clock,
    lists,
    limits,
    resolver,
    policies,
    prober,
    mailRoutes: inTurn(base, mailRoutes),
  } satisfies Omit<VerifyParts, 'controls'>;
  const controls = createControlMailboxes({
    ...asking,
    controls: controlsOf(settings),
    memory: memoryOf('control'),
    onProblem,
  });
  const parts: VerifyParts = { ...asking, prober: sharing, controls };
  return {
    verify: (email, request) => verify(email, parts, request),
    prober: localProber,
    answers: sharing,
    egress: openEgress(waysAndLimits),
    recall: (address) => recall(address, parts),
    findMailRoute: (address, request) => parts.mailRoutes.find(address, request),
    lookUp: (address, request) => lookUp(address, { ...parts, lists }, request),
    // Hardly any domain is near one, and only those few are worth a look at the lists.
    nearProvider: (address) =>
      nearProvider(address.host) === undefined ? undefined : lists.find(address).nearProvider,
    counts: () => countsOf(resolver, routes),
    health: () => ({
      resting: pacer.resting(),
      routes: routes.state(),
      ...(reputation?.state() ?? { closed: [], bans: [] }),
      mailPort: mailPort.isBlocked(),
      identity: identity.state(),
      resolver: resolverWatch.state(),
      doubtedProviders: controls.doubted(),
      conversations: scheduler.counts(),
    }),
    close() {
      for (const watch of [controls, canaries, identity, routes, reputation, resolverWatch]) watch?.stop();
      resolver.close();
      lists.close();
    },
  };
}

function countsOf(resolver: DnsResolver, routes: Routes): EngineCounts {
  const { queries: dnsQueries, failures: dnsFailures } = resolver.counts();
  return { dnsQueries, dnsFailures, ...routes.counts() };
}

/** Finds mail routes, with resolvers that have proved themselves. */
function findRoutes({ settings, clock, limits }: Base, resolver: DnsResolver) {
  return openMailRoutes({
    resolver,
    clock,
    limits,
    resolverProbes: settings.resolverProbes ?? [],
    allow: settings.egressAllow,
    mayAskElsewhere: () => settings.mayAskElsewhere?.() ?? false,
    onProblem: (message) => settings.onProblem(message),
  });
}

const notLookedUp: MailRoute = { kind: 'undetermined', failure: 'silence' };

/** Finds mail routes with a limit on how many at once, accounts in turn. */
function inTurn({ clock, limits }: Base, mailRoutes: MailRoutes): VerifyParts['mailRoutes'] {
  const lookupQueue = createLookupQueue({ clock, places: limits.routeSearches });
  return {
    find: ({ host }, request) => lookupQueue.run(request, () => mailRoutes.find(host, request), notLookedUp),
    recall: ({ host }) => mailRoutes.recall(host),
  };
}

type Base = {
  settings: EngineSettings;
  clock: Clock;
  limits: Limits;
  ownAddresses: () => readonly string[];
  reachesIpv6: () => boolean;
};

function createBase(settings: EngineSettings): Base {
  const ownAddresses = watchOwnAddresses(systemClock);
  const reachesIpv6 = createReachesIpv6({
    routes: settings.policyFile?.routes ?? [],
    allow: settings.egressAllow,
    ownAddresses,
    mayAskElsewhere: () => settings.mayAskElsewhere?.() ?? false,
  });
  const limits = { ...defaultLimits, ...settings.limits };
  return { settings, clock: systemClock, limits, ownAddresses, reachesIpv6 };
}

type RouteNeeds = {
  rights: EgressRights;
  identity: IdentityWatch;
  resolver: DnsResolver;
  memoryOf: ReturnType<typeof openNamespaces>;
};

/** Opens the ways out, with their kept state and their reputation. */
function openRoutes({ settings, clock, limits, ownAddresses }: Base, needs: RouteNeeds) {
  const { rights, identity, resolver, memoryOf } = needs;
  const { smtpPort: port, egressAllow: allow, heloName, mailFrom } = settings;
  const watched = { clock, limits, rights, resolver, memory: memoryOf('closure') };
  const reputation = openReputation(settings, watched);
  const routes = createRoutes({
    settings: settings.policyFile?.routes ?? [],
    defaults: { heloName, mailFrom },
    clock,
    wallClock: Date,
    limits,
    warmUp: profileOf(settings).warmUp,
    heedsBlocks: settings.pacing !== 'off',
    rights,
    ...(reputation === undefined ? {} : { reputation }),
    identity,
    isPublic: (address) => isPublicAddress(address, allow),
    dialerFor: (setting) => createRouteDialer(setting, { port, clock, limits, allow, ownAddresses }),
    onProblem: (message) => settings.onProblem(message),
  });
  const signature = randomBytes(8).toString('hex');
  const kept = keepRoutes(routes, { memory: memoryOf('route'), clock, signature });
  return { rights, routes: kept, reputation };
}

/** Asks for a mailbox once for all callers that want to know. Control mailboxes and probes of others go past it. */
function shareAnswers({ settings, clock, limits }: Base, prober: Prober): AnswerSharing {
  return createAnswerSharing({
    prober,
    clock,
    wallClock: Date,
    reuseMs: settings.reuseMs ?? 0,
    maxEntries: limits.reusedAnswers,
    isConclusive: ({ address, route }, mailbox) =>
      conclusiveStatuses.has(judge({ address, route, mailbox, lists: nothingListed }).status),
    isBelieved: (name) => settings.isBelieved?.(name) ?? true,
  });
}

const nothingListed = { disposable: false, role: false, free: false, spamtrap: false, denied: false };

function profileOf({ pacing, ipProfile = 'established' }: EngineSettings) {
  return ipProfiles[pacing === 'off' ? 'private' : ipProfile];
}

function controlsOf({ policyFile }: EngineSettings): Map<string, readonly string[]> {
  const providers = [...(policyFile?.providers ?? [])];
  return new Map(
    providers.flatMap(([group, { controls }]) =>
      controls === undefined ? [] : [[group, controls] as const],
    ),
  );
}

type CanaryNeeds = {
  resolver: DnsResolver;
  routes: Routes;
  rights: EgressRights;
  mailRoutes: MailRoutes;
};

/** Watches whether port 25 is open, with the hosts that are asked in doubt. */
function watchMailPort(base: Base, needs: CanaryNeeds) {
  const { settings, clock, limits } = base;
  const mailPort = createMailPortWatch({
    clock,
    limits,
    port: settings.smtpPort,
    askKnownHosts: () => canaries.ask(),
    onProblem: (message) => settings.onProblem(message),
  });
  const canaries = watchCanaries(base, { ...needs, mailPort });
  needs.rights.onChange(() => canaries.askSoon());
  return { mailPort, canaries };
}

/** More would tell nothing more of the port. */
const ownHostsAsked = 3;

function watchCanaries(
  { settings, clock, limits }: Base,
  { resolver, routes, rights, mailPort, mailRoutes }: CanaryNeeds & { mailPort: MailPortWatch },
) {
  return startCanaries({
    async findOwnHosts(patience) {
      const domain = senderDomain(settings);
      const route = domain === undefined ? undefined : await mailRoutes.find(domain, patience);
      // Without MX records there is no word that the domain's own address takes mail.
      if (route?.kind !== 'takes_mail' || route.implicit) return [];
      return route.mxRecords.slice(0, ownHostsAsked);
    },
    hosts: (settings.policyFile?.canaries ?? []).flatMap((name) => canonicalHost(name) ?? []),
    clock,
    limits,
    watch: mailPort,
    onProblem: (message) => settings.onProblem(message),
    async findAddresses(host, patience) {
      // A process that owns no egress address has no port to try.
      if (!routes.ids.some((id) => rights.of(id) === 'ours')) return [];
      const found = await resolveHost(host, { resolver, limits }, patience);
      return found.kind === 'resolves' ? found.addresses : [];
    },
    async dial(target, patience) {
      const choice = routes.choose({ group: target.host, address: target.address, allowed: undefined });
      if (choice.kind === 'none') return { kind: 'failed', why: 'route_down', problem: choice.why };
      return choice.route.dial(target, patience);
    },
  });
}

/** The operator's own domain; none if the sender has no real one. */
function senderDomain({ mailFrom }: EngineSettings): CanonicalHost | undefined {
  return canonicalHost(mailFrom.slice(mailFrom.lastIndexOf('@') + 1));
}
