import type { Clock } from '../clock.ts';
import type { DnsResolver } from '../dns/create-resolver.ts';
import type { Resolver } from '../dns/lookup.ts';
import type { MailRoute } from '../dns/mail-route.ts';
import type { MailRoutes } from '../dns/open-mail-routes.ts';
import { waysOf, type EgressWay, type LeavesFrom } from '../egress/own-addresses.ts';
import type { Cidr } from '../ip-address.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import { routesOr, type RouteSetting, type PolicyFile } from '../politeness/policy.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import { checkHelo, judgeSenderDomain, type IdentityFinding } from './check-identity.ts';

/**
 * Whether public mail hosts may be asked from each egress route: only under a HELO name that resolves to the address
 * that they see, and from a sender domain that takes mail. Everything else burns the address (docs/decisions/0026).
 *
 *     not checked ──▶ checking ──▶ proven, looked at again every hour
 *                        │  ▲         │ a lookup failed: proven for a day more
 *                        ▼  └─────────┘
 *                     unproven, looked at again every minute
 *
 * A lookup that fails proves nothing wrong. A name that was never proven still waits: a resolver that cannot find it
 * finds no mail host either. The lookups are made beside the verifications, never within one.
 */
export type IdentityWatch = {
  /** Whether every route was proven for every family, so that no caller need ask for one. */
  areAllProven(): boolean;
  /** Returns the standing of a route, and begins the check of a route that was not looked at yet. */
  of(route: string, family: Family): 'proven' | 'checking' | 'unproven';
  /** The fault of a route in all families, with its remedy. */
  problem(route: string): string | undefined;
  /** The state of each route that was looked at, for the operator. */
  state(): RouteIdentity[];
  /** Begins the checks of these routes, unless they were begun. */
  begin(routes: readonly string[]): void;
  /** Adds a listener for checks that end otherwise than the one before. */
  onChange(listener: () => void): void;
  stop(): void;
};

export type RouteIdentity = {
  route: string;
  heloName: string;
  seenFrom: string[];
  /** The fault and its remedy in one or two sentences, for connections of one family or both. */
  problem: string | undefined;
  /** The part that could not be compared. */
  note: string | undefined;
};

type WatchParts = {
  routes: readonly RouteSetting[];
  defaults: { heloName: string; mailFrom: string };
  publicAddresses: readonly string[];
  resolver: Pick<Resolver, 'ipv4' | 'ipv6'>;
  findMailRoute(domain: CanonicalHost, patience: Patience): Promise<MailRoute>;
  clock: Clock;
  limits: { identityEveryMs: number; identityAgainMs: number; identityTrustMs: number; dnsLookupMs: number };
  leavesFrom?: LeavesFrom;
  /** Called with one line when public mail hosts are not asked, and when they are again. */
  onProblem(message: string): void;
};

type Watched = {
  setting: RouteSetting;
  heloName: string;
  mailFrom: string;
  /** The families in which it leaves. */
  ways: EgressWay[];
  standing: Standings;
  isBegun: boolean;
  cancelTimer: () => void;
};

type Standing =
  | { kind: 'checking' }
  | { kind: 'proven'; at: number; note: string | undefined }
  | { kind: 'unproven'; problem: string };

type Family = EgressWay['family'];

/** The standing in each family in which the route leaves; the others are not asked about. */
type Standings = Partial<Record<Family, Standing>>;

export function watchIdentity(parts: WatchParts): IdentityWatch {
  const { clock, limits } = parts;
  const stopped = new AbortController();
  const listeners: (() => void)[] = [];
  const byId = new Map(parts.routes.map((setting) => [setting.id, watched(setting, parts)]));
  let allProven = false;

  function begin(one: Watched | undefined): void {
    if (one === undefined || one.isBegun) return;
    one.isBegun = true;
    void look(one);
  }

  async function look(one: Watched): Promise<void> {
    const before = one.standing;
    try {
      const patience = { deadline: clock.now() + 2 * limits.dnsLookupMs, signal: stopped.signal };
      one.standing = await lookAt(one, parts, patience);
    } catch (error) {
      if (stopped.signal.aborted) return;
      const problem = `the identity of this machine could not be checked: ${String(error)}`;
      one.standing = { 4: { kind: 'unproven', problem }, 6: { kind: 'unproven', problem } };
    }
    if (stopped.signal.aborted) return;
    tell(one, before);
    allProven = [...byId.values()].every((each) => standingsOf(each).every(isProven));
    const isWell = standingsOf(one).every(isProven);
    one.cancelTimer = clock.after(
      isWell ? limits.identityEveryMs : limits.identityAgainMs,
      () => void look(one),
    );
    if (before[4]?.kind !== one.standing[4]?.kind || before[6]?.kind !== one.standing[6]?.kind)
      for (const listener of listeners) listener();
  }

  /** Tells a problem once. A problem of one family alone is for `doctor`. */
  function tell(one: Watched, before: Standings): void {
    const [now, then] = [problemOf(one.standing), problemOf(before)];
    if (now === then) return;
    const name = byId.size === 1 ? '' : ` from egress route ${one.setting.id}`;
    parts.onProblem(
      now === undefined
        ? `public mail hosts are asked again${name}: HELO name and sender are ours`
        : `public mail hosts are not asked${name}: ${now}`,
    );
  }

  return {
    areAllProven: () => allProven,
    of(route, family) {
      const one = byId.get(route);
      begin(one);
      return one?.standing[family]?.kind ?? 'unproven';
    },
    problem: (route) => problemOf(byId.get(route)?.standing ?? {}),
    state: () => [...byId.values()].filter(({ isBegun }) => isBegun).map(stateOf),
    begin: (routes) => routes.forEach((route) => begin(byId.get(route))),
    onChange: (listener) => void listeners.push(listener),
    stop() {
      stopped.abort();
      for (const { cancelTimer } of byId.values()) cancelTimer();
    },
  };
}

/** For operators who switched the check off, and for parts that are tested alone. */
export const identityUnchecked: IdentityWatch = {
  areAllProven: () => true,
  of: () => 'proven',
  problem: () => undefined,
  state: () => [],
  begin: () => undefined,
  onChange: () => undefined,
  stop: () => undefined,
};

function watched(setting: RouteSetting, { defaults }: WatchParts): Watched {
  return {
    setting,
    heloName: setting.heloName ?? defaults.heloName,
    mailFrom: setting.mailFrom ?? defaults.mailFrom,
    ways: [],
    standing: { 4: { kind: 'checking' }, 6: { kind: 'checking' } },
    isBegun: false,
    cancelTimer: () => undefined,
  };
}

/** Several families share the lookup of the sender's domain. */
async function lookAt(one: Watched, parts: WatchParts, patience: Patience): Promise<Standings> {
  const { heloName, mailFrom, setting } = one;
  const { publicAddresses: stated, leavesFrom, resolver } = parts;
  const ways = await waysOf(setting, { stated, leavesFrom });
  // A machine that has no way out now may have one later; its name is still looked at.
  one.ways = ways.length > 0 ? ways : [{ family: 4, seenFrom: [] }];
  const domain = hostOf(mailFrom.slice(mailFrom.lastIndexOf('@') + 1));
  const [route, ...helo] = await Promise.all([
    parts.findMailRoute(domain, patience),
    ...one.ways.map((way) => checkHelo({ heloName: hostOf(heloName), way, resolver }, patience)),
  ]);
  const sender = judgeSenderDomain(domain, route);
  const now = parts.clock.now();
  const standing: Standings = {};
  one.ways.forEach(({ family }, index) => {
    const findings = [...helo.slice(index, index + 1), sender];
    standing[family] = standingAfter(findings, { before: one.standing[family], now, parts });
  });
  return standing;
}

function standingAfter(
  findings: readonly IdentityFinding[],
  { before, now, parts }: { before: Standing | undefined; now: number; parts: WatchParts },
): Standing {
  const wrong = findings.filter((finding) => finding.kind === 'wrong');
  if (wrong.length > 0) {
    const told = wrong.map(({ seen, remedy }) => `${seen}. ${remedy}`);
    return { kind: 'unproven', problem: `${told.join('. ')} (${offHint})` };
  }
  const unknown = findings.find((finding) => finding.kind === 'not_known');
  if (unknown === undefined) {
    const note = findings.map((finding) => (finding.kind === 'proven' ? finding.note : undefined));
    return { kind: 'proven', at: now, note: note.find((one) => one !== undefined) };
  }
  const isTrusted = before?.kind === 'proven' && now - before.at < parts.limits.identityTrustMs;
  return isTrusted
    ? before
    : { kind: 'unproven', problem: `${unknown.seen}; it is tried again every minute` };
}

const offHint = 'with MAILPROOF_IDENTITY_CHECK=off they are asked anyway';

function isProven(standing: Standing | undefined): boolean {
  return standing?.kind === 'proven';
}

function standingsOf({ standing }: Pick<Watched, 'standing'>): Standing[] {
  return [standing[4], standing[6]].filter((one) => one !== undefined);
}

/** A family that may not be used is no problem while the other may. */
function problemOf(standing: Standings): string | undefined {
  const all = standingsOf({ standing });
  const unproven = all.filter((one) => one.kind === 'unproven');
  return unproven.length === all.length ? unproven[0]?.problem : undefined;
}

function stateOf({ setting, heloName, ways, standing }: Watched): RouteIdentity {
  const all = standingsOf({ standing });
  return {
    route: setting.id,
    heloName,
    seenFrom: ways.flatMap(({ seenFrom }) => seenFrom),
    problem: all.find((one) => one.kind === 'unproven')?.problem,
    note: all.find((one) => one.kind === 'proven')?.note,
  };
}

/** The settings were read, so the names in them are host names. */
function hostOf(name: string): CanonicalHost {
  const host = canonicalHost(name);
  if (host === undefined) throw new TypeError(`a setting let ${name} through, which is no host name`);
  return host;
}

type IdentitySettings = {
  heloName: string;
  mailFrom: string;
  publicAddresses?: readonly string[];
  identityCheck?: 'on' | 'off';
  egressAllow: readonly Cidr[];
  policyFile?: Pick<PolicyFile, 'routes'> | undefined;
  onProblem(message: string): void;
};

type IdentityNeeds = {
  clock: Clock;
  limits: Limits;
  resolver: DnsResolver;
  mailRoutes: MailRoutes;
  /** Which routes are this process's own, and when that changes. */
  rights: { of(route: string): string; onChange(listener: () => void): void };
};

/**
 * Watches whether our own HELO names and senders are ours. They are looked up as soon as a route is this process's
 * own. If the operator opened blocks, the lookup waits until the first public mail host is asked, which may never
 * happen.
 */
export function openIdentity(settings: IdentitySettings, needs: IdentityNeeds): IdentityWatch {
  if (settings.identityCheck === 'off') return identityUnchecked;
  const { heloName, mailFrom, publicAddresses = [] } = settings;
  const { clock, limits, resolver, mailRoutes, rights } = needs;
  const routes = routesOr(settings.policyFile?.routes);
  const watch = watchIdentity({
    routes,
    defaults: { heloName, mailFrom },
    publicAddresses,
    resolver: resolver.uncached,
    findMailRoute: (domain, patience) => mailRoutes.find(domain, patience),
    clock,
    limits,
    onProblem: (message) => settings.onProblem(message),
  });
  if (settings.egressAllow.length > 0) return watch;
  const beginOwn = (): void =>
    watch.begin(routes.flatMap(({ id }) => (rights.of(id) === 'ours' ? [id] : [])));
  rights.onChange(beginOwn);
  beginOwn();
  return watch;
}
