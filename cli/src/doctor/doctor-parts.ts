import {
  canonicalHost,
  createDialer,
  createResolver,
  defaultLimits,
  ownAddresses,
  routesOr,
  systemClock,
  systemServers,
  type CanonicalHost,
  type Clock,
  type Patience,
  type RouteSetting,
} from '@mailproof/engine';
import { lookAtPostgres, lookAtSqlite, type Store } from '@mailproof/service';
import type { Config } from '@mailproof/service/config';
import { printable, wrap } from '../present/text.ts';
import type { Colour, Terminal } from '../terminal.ts';

/**
 * The result of one check. A `problem` prevents verification or makes verdicts worse, a `warning` is worth knowing.
 * `not_checked` means that the check was not possible, not that all is well.
 */
export type Finding = {
  check: string;
  state: 'ok' | 'warning' | 'problem' | 'not_checked';
  seen: string;
  remedy?: string;
};

type Resolver = ReturnType<typeof createResolver>['uncached'];

export type DoctorParts = {
  config: Config;
  clock: Clock;
  /** Asks all configured servers, with no memory. */
  resolver: Resolver;
  /** The servers in force, and a resolver that asks one of them alone. */
  servers: { ip: string; port: number; resolver: Resolver }[];
  dialer: ReturnType<typeof createDialer>;
  ownAddresses: readonly string[];
  /** Domain of the sender: the operator's own name, by which DNS and port 25 are tried. */
  senderDomain: CanonicalHost;
  heloName: CanonicalHost;
  /** Names that must exist; none in a closed network. */
  resolverProbes: readonly CanonicalHost[];
  /** The ways out, as the providers file has them. */
  routes: readonly RouteSetting[];
  /** Mail hosts that the operator named for trying port 25 on. */
  canaries: readonly CanonicalHost[];
  /** A fresh deadline for one question. */
  patience: () => Patience;
};

/** The settings to examine; one question may take `questionMs`. */
type Examination = {
  config: Config;
  canaries: readonly string[];
  routes?: readonly RouteSetting[];
  signal: AbortSignal;
  questionMs: number;
};

/** Opens what the checks look through, and closes it behind them. */
export async function withDoctorParts<Result>(
  { config, canaries, routes, signal, questionMs }: Examination,
  use: (parts: DoctorParts) => Promise<Result>,
): Promise<Result> {
  const clock = systemClock;
  const limits = defaultLimits;
  const servers = config.dnsServers.length > 0 ? config.dnsServers : systemServers();
  const each = servers.map((server) => ({
    ...server,
    created: createResolver({ servers: [server], clock, limits }),
  }));
  // A machine without a DNS server gets a resolver that never answers, so that the other checks still run.
  const all = createResolver({
    servers: servers.length > 0 ? servers : [{ ip: '127.0.0.1', port: 53 }],
    clock,
    limits,
  });
  try {
    return await use({
      config,
      clock,
      resolver: all.uncached,
      servers: each.map(({ ip, port, created }) => ({ ip, port, resolver: created.uncached })),
      dialer: createDialer({ port: config.smtpPort, clock, limits, allow: config.egressAllow, ownAddresses }),
      ownAddresses: ownAddresses(),
      senderDomain: hostOf(config.mailFrom.slice(config.mailFrom.lastIndexOf('@') + 1)),
      heloName: hostOf(config.heloName),
      resolverProbes: config.resolverProbes.map(hostOf),
      routes: routesOr(routes),
      canaries: canaries.map(hostOf),
      patience: () => ({ deadline: clock.now() + questionMs, signal }),
    });
  } finally {
    all.close();
    for (const { created } of each) created.close();
  }
}

/** The settings were read, so the names in them are host names. */
function hostOf(name: string): CanonicalHost {
  const host = canonicalHost(name);
  if (host === undefined) throw new TypeError(`a setting let ${name} through, which is no host name`);
  return host;
}

type FoundAddresses = { kind: 'found'; addresses: string[] } | { kind: 'none' } | { kind: 'failed' };

/** The addresses of a name, IPv4 first. A failed half beside an answered one does not spoil the answer. */
export async function findAddresses(
  name: CanonicalHost,
  { resolver, patience }: DoctorParts,
): Promise<FoundAddresses> {
  const lookups = await Promise.all([resolver.ipv4(name, patience()), resolver.ipv6(name, patience())]);
  const addresses = lookups.flatMap((lookup) => (lookup.kind === 'found' ? lookup.records : []));
  if (addresses.length > 0) return { kind: 'found', addresses };
  return lookups.some(({ kind }) => kind === 'failed') ? { kind: 'failed' } : { kind: 'none' };
}

/** Reads what the service last noted; nothing if no service has run yet. Changes neither rows nor schema. */
export async function lookAtStore<Found>(
  { dataDir, databaseUrl }: Pick<DoctorParts['config'], 'dataDir' | 'databaseUrl'>,
  read: (store: Pick<Store, 'read'>) => Promise<Found>,
): Promise<Found | undefined> {
  const look = (reader: Store['read']) => read({ read: reader });
  return databaseUrl === undefined ? lookAtSqlite(dataDir, look) : lookAtPostgres(databaseUrl, look);
}

const stateColours: Readonly<Record<Finding['state'], Colour>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
  not_checked: 'cyan',
};

/** Formats the findings for a person, each with its remedy below it. */
export function presentFindings(
  findings: readonly Finding[],
  { paint, columns }: Pick<Terminal, 'paint' | 'columns'>,
): string[] {
  const indent = ' '.repeat(13);
  return findings.flatMap(({ check, state, seen, remedy }) => {
    const [head = '', ...rest] = wrap(`${check}: ${printable(seen)}`, { columns, first: indent, indent });
    const label = paint(stateColours[state], state.replace('_', ' ').padEnd(indent.length));
    const advice =
      remedy === undefined ? [] : wrap(remedy, { columns, first: `${indent}→ `, indent: `${indent}  ` });
    return [`${label}${head.slice(indent.length)}`, ...rest, ...advice];
  });
}
