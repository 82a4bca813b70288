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
  type RouteSetting,
} from '@mailproof/engine';
import type { Config } from '@mailproof/service/config';
import type { DoctorParts } from './check.ts';

/** What is examined; one question of the examination may take `questionMs`. */
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
  // A machine that names no server gets a resolver that nobody answers, so that every other check can still say so.
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
