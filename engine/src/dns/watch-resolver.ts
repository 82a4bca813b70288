/**
 * Proves resolvers: "this domain takes no mail" is believed only from a resolver that, asked after it said so, found
 * a name that must exist. Split DNS, a VPN and a captive portal deny everything from one moment on, and each denial
 * would become a wrong verdict that is charged for.
 *
 *     in_order ── a control denies ──▶ denies ── a control finds ──▶ in_order
 *
 * A control is two questions (control-questions.ts). It begins when a denial waits for it, serves every denial
 * before it, and begins at most every `resolverControlMs`, whichever server it is for. Without denials a control is
 * made every `resolverProbeMs`, so that the operator learns of the trouble, and every `resolverProbeAgainMs` during
 * trouble.
 *
 * A large provider that is denied in the course of a verification is asked for along with those rounds, until its
 * mail hosts are found; nothing is proved meanwhile. On the way into and out of `denies` every denial leaves the
 * cache, and a search that began before the way out is made again. An operator who names no names (a closed network)
 * is told of a denied provider, and nothing is doubted.
 */
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { waitFor, type Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { ControlQuestions, type ControlFinding, type ControlNames } from './control-questions.ts';
import type { DnsAnswer, DnsQuestion, Lookup, Resolver } from './lookup.ts';
import type { MailRoute } from './mail-route.ts';

export type ResolverState = { kind: 'in_order' } | { kind: 'denies'; line: string };

/** The result of the controls that a denial waited for. `recovered`: the denial may be older than the recovery. */
export type Proof = 'proved' | 'recovered' | 'denies' | 'unproved';

export type ResolverWatch = {
  /** Whether a denial that this server has given since `since` (on the clock) can be believed. */
  prove(server: number, since: number, patience: Patience): Promise<Proof>;
  /** Notes that a domain was denied that takes mail for certain. */
  noteDenied(name: CanonicalHost): void;
  state(): ResolverState;
  /** Ends the control under way, and no other begins. */
  stop(): void;
};

type WatchParts = {
  names: ControlNames;
  resolver: {
    /** How many servers there are. */
    servers: number;
    /** Asks one of them, past the cache. */
    askServer(server: number, question: DnsQuestion, patience: Patience): Promise<DnsAnswer>;
    forgetMissing(): void;
    forgetAll(): void;
  };
  /** Returns a domain's mail route as the resolver gives it now. */
  findMailRoute(domain: CanonicalHost, patience: Patience): Promise<MailRoute>;
  leadsNowhere(ip: string): boolean;
  clock: Clock;
  limits: Pick<Limits, 'dnsLookupMs' | 'resolverControlMs' | 'resolverProbeMs' | 'resolverProbeAgainMs'>;
  /** Called with one line when names are denied, and when they are found again. */
  onProblem(message: string): void;
};

/** Providers that a verification met as denied and that are asked along; more would tell nothing new. */
const providersAskedAlong = 2;

/** Controls that one denial waits for: the first may meet a name that is gone, or an answer from a cache. */
const controlsForOne = 3;

export function watchResolver(parts: WatchParts): ResolverWatch {
  return parts.names.certain.length === 0 ? tellOnly(parts) : new ControlledWatch(parts);
}

/** The state of one server. */
type Server = {
  index: number;
  questions: ControlQuestions;
  /** Names denied in its last control, until a control finds again. */
  denied: readonly CanonicalHost[];
  /** When its last trouble ended, on the clock; infinite while it lasts. */
  goodFrom: number;
  /** The next control, not begun yet, for the callers that wait for it. */
  awaited: PromiseWithResolvers<ControlFinding> | undefined;
};

class ControlledWatch implements ResolverWatch {
  private readonly parts: WatchParts;
  private readonly servers: Server[];
  private readonly stopped = new AbortController();
  /** Large providers that were denied and have not been found since. */
  private readonly providers = new Set<CanonicalHost>();
  private isUnderWay = false;
  private lastBegunAt = -Infinity;
  private cancelControl: () => void = () => undefined;
  private cancelRound: () => void = () => undefined;
  private line: string | undefined = undefined;

  constructor(parts: WatchParts) {
    const { clock, names, resolver } = parts;
    this.parts = parts;
    const leadsNowhere = (ip: string): boolean => parts.leadsNowhere(ip);
    this.servers = Array.from({ length: resolver.servers }, (_, index) => ({
      index,
      questions: new ControlQuestions({ names, clock, leadsNowhere }),
      denied: [],
      goodFrom: -Infinity,
      awaited: undefined,
    }));
    this.beginRound();
    // The first control does not count: the first denial need not wait for `resolverControlMs` to pass.
    this.lastBegunAt = -Infinity;
  }

  async prove(index: number, since: number, patience: Patience): Promise<Proof> {
    const server = this.serverAt(index);
    const wasInTrouble = server.denied.length > 0;
    let met: Proof = 'unproved';
    for (let controls = 0; controls < controlsForOne && !this.deniesProvider(); controls += 1) {
      const { clock } = this.parts;
      const late: ControlFinding = { kind: 'unproved' };
      const finding = await waitFor(this.control(server), { clock, patience, late });
      if (this.deniesProvider()) break;
      if (finding.kind === 'proved') return server.goodFrom > since ? 'recovered' : 'proved';
      if (finding.kind === 'denies') met = 'denies';
      if (clock.now() >= patience.deadline || (wasInTrouble && met === 'denies')) break;
    }
    return this.deniesProvider() ? 'denies' : met;
  }

  private deniesProvider(): boolean {
    return this.providers.size > 0;
  }

  noteDenied(name: CanonicalHost): void {
    const isNew = this.providers.size === 0;
    if (this.providers.size < providersAskedAlong) this.providers.add(name);
    if (isNew) this.tell();
    if (isNew) this.scheduleRound();
  }

  state(): ResolverState {
    return this.line === undefined ? { kind: 'in_order' } : { kind: 'denies', line: this.line };
  }

  stop(): void {
    this.stopped.abort();
    this.cancelControl();
    this.cancelRound();
    for (const server of this.servers) this.settle(server, { kind: 'unproved' });
  }

  /** Returns the next control of a server, which has not begun: it serves all that wait for it. */
  private control(server: Server): Promise<ControlFinding> {
    if (this.stopped.signal.aborted) return Promise.resolve({ kind: 'unproved' });
    server.awaited ??= Promise.withResolvers<ControlFinding>();
    const { promise } = server.awaited;
    this.schedule();
    return promise;
  }

  private schedule(): void {
    const { clock, limits } = this.parts;
    if (this.isUnderWay || !this.servers.some(({ awaited }) => awaited !== undefined)) return;
    this.cancelControl();
    const waitMs = this.lastBegunAt + limits.resolverControlMs - clock.now();
    if (waitMs <= 0) void this.ask();
    else this.cancelControl = clock.after(waitMs, () => void this.ask());
  }

  /** Makes one control, of the server that has waited longest. */
  private async ask(): Promise<void> {
    const server = this.servers.find(({ awaited }) => awaited !== undefined);
    if (server?.awaited === undefined || this.isUnderWay || this.stopped.signal.aborted) return;
    const { resolve } = server.awaited;
    server.awaited = undefined;
    // The next control goes to another server, if one waits.
    this.servers.push(...this.servers.splice(this.servers.indexOf(server), 1));
    this.isUnderWay = true;
    this.lastBegunAt = this.parts.clock.now();
    const finding = await this.askServer(server);
    this.isUnderWay = false;
    this.heed(server, finding);
    resolve(finding);
    this.schedule();
  }

  private async askServer({ index, questions }: Server): Promise<ControlFinding> {
    const { clock, limits, resolver } = this.parts;
    const patience = { deadline: clock.now() + limits.dnsLookupMs, signal: this.stopped.signal };
    try {
      const asked = questions.next();
      const answers = await Promise.all(
        asked.map((question) => resolver.askServer(index, question, patience)),
      );
      return questions.read(asked, answers);
    } catch (error) {
      this.tellOfDefect(error);
      return { kind: 'unproved' };
    }
  }

  private heed(server: Server, finding: ControlFinding): void {
    if (this.stopped.signal.aborted || finding.kind === 'unproved') return;
    const wasInTrouble = server.denied.length > 0;
    server.denied = finding.kind === 'denies' ? finding.names : [];
    if (finding.kind === 'denies') server.goodFrom = Infinity;
    else if (wasInTrouble) server.goodFrom = this.parts.clock.now();
    if (wasInTrouble !== server.denied.length > 0) this.tell();
  }

  /** Drops every kept denial and tells the operator, as trouble began or ended. */
  private tell(): void {
    const names = [...this.providers, ...this.servers.flatMap(({ denied }) => denied)];
    const wasInOrder = this.line === undefined;
    this.line = names.length === 0 ? undefined : lineFor([...new Set(names)]);
    // A resolver in trouble may also have given answers for names that do not exist.
    if (this.line === undefined) this.parts.resolver.forgetAll();
    else this.parts.resolver.forgetMissing();
    if (wasInOrder && this.line !== undefined) this.parts.onProblem(this.line);
    if (!wasInOrder && this.line === undefined)
      this.parts.onProblem('the resolver finds the names again that it denied');
    if (wasInOrder !== (this.line === undefined)) this.scheduleRound();
  }

  /** Begins a control of every server, and a search for the providers that were denied. */
  private beginRound(): void {
    this.scheduleRound();
    for (const server of this.servers) void this.control(server);
    if (this.providers.size > 0) void this.askProviders([...this.providers]);
  }

  private async askProviders(domains: readonly CanonicalHost[]): Promise<void> {
    const { clock, limits } = this.parts;
    const patience = { deadline: clock.now() + limits.dnsLookupMs, signal: this.stopped.signal };
    const find = (domain: CanonicalHost, asked: Patience) => this.parts.findMailRoute(domain, asked);
    try {
      const finding = await probeProviders(domains, find, patience);
      if (finding.kind !== 'in_order') return;
      for (const domain of domains) this.providers.delete(domain);
      if (this.providers.size > 0) return;
      for (const server of this.servers) server.goodFrom = Math.max(server.goodFrom, clock.now());
      this.tell();
    } catch (error) {
      this.tellOfDefect(error);
    }
  }

  private tellOfDefect(error: unknown): void {
    if (!this.stopped.signal.aborted)
      this.parts.onProblem(`the resolver could not be tried: ${String(error)}`);
  }

  private scheduleRound(): void {
    this.cancelRound();
    if (this.stopped.signal.aborted) return;
    const { clock, limits } = this.parts;
    const waitMs = this.line === undefined ? limits.resolverProbeMs : limits.resolverProbeAgainMs;
    this.cancelRound = clock.after(waitMs, () => this.beginRound());
  }

  private settle(server: Server, finding: ControlFinding): void {
    server.awaited?.resolve(finding);
    server.awaited = undefined;
  }

  private serverAt(index: number): Server {
    const server = this.servers.find((one) => one.index === index);
    if (server === undefined) throw new Error(`no DNS server ${index}`);
    return server;
  }
}

function tellOnly(parts: WatchParts): ResolverWatch {
  const { clock, limits } = parts;
  let toldAt = -Infinity;
  return {
    prove: () => Promise.resolve('proved'),
    noteDenied(name) {
      if (clock.now() - toldAt < limits.resolverProbeMs) return;
      toldAt = clock.now();
      parts.onProblem(lineFor([name]));
    },
    state: () => ({ kind: 'in_order' }),
    stop: () => undefined,
  };
}

function lineFor(names: readonly CanonicalHost[]): string {
  return `the resolver denies what is known to exist (${names.join(', ')}): "no such domain" is not trusted until it finds them again`;
}

/** A resolver's answers for names that must exist. */
type ResolverFinding =
  | { kind: 'in_order' }
  /** It says of these that they are not there, or hold nothing. */
  | { kind: 'denies'; names: CanonicalHost[] }
  /** It answered for none of them, which says nothing of its answers. */
  | { kind: 'no_answer' };

/** Asks for each name at once, for its mail hosts and its address. One denied name outweighs all found names. */
export async function probeResolver(
  names: readonly CanonicalHost[],
  resolver: Pick<Resolver, 'mx' | 'ipv4'>,
  patience: Patience,
): Promise<ResolverFinding> {
  const answers = await Promise.all(
    names.map(async (name) => {
      const lookups = await Promise.all([resolver.mx(name, patience), resolver.ipv4(name, patience)]);
      return { name, answer: readAnswer(lookups) };
    }),
  );
  const denied = answers.filter(({ answer }) => answer === 'denied').map(({ name }) => name);
  if (denied.length > 0) return { kind: 'denies', names: denied };
  return answers.some(({ answer }) => answer === 'found') ? { kind: 'in_order' } : { kind: 'no_answer' };
}

function readAnswer(lookups: readonly Lookup<unknown>[]): 'found' | 'denied' | 'failed' {
  if (lookups.some(({ kind }) => kind === 'found')) return 'found';
  return lookups.some(({ kind }) => kind === 'failed') ? 'failed' : 'denied';
}

/**
 * Asks for the mail hosts of domains that take mail for certain, each at once. It is not enough that a name exists:
 * a captive portal answers everything with an address, and others with hosts that do not exist.
 */
async function probeProviders(
  domains: readonly CanonicalHost[],
  findMailRoute: (domain: CanonicalHost, patience: Patience) => Promise<MailRoute>,
  patience: Patience,
): Promise<ResolverFinding> {
  const routes = await Promise.all(
    domains.map(async (domain) => ({ domain, route: await findMailRoute(domain, patience) })),
  );
  const denied = routes.filter(({ route }) => deniesMailHosts(route)).map(({ domain }) => domain);
  if (denied.length > 0) return { kind: 'denies', names: denied };
  return { kind: routes.some(({ route }) => route.kind === 'undetermined') ? 'no_answer' : 'in_order' };
}

/** Whether a route denies the mail hosts: a captive portal answers everything with an address in their place. */
export function deniesMailHosts(route: MailRoute): boolean {
  return route.kind === 'refuses_mail' || (route.kind === 'takes_mail' && route.implicit);
}
