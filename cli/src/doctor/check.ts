import type {
  CanonicalHost,
  Clock,
  createDialer,
  createResolver,
  Patience,
  RouteSetting,
} from '@mailproof/engine';
import type { Config } from '@mailproof/service/config';

/**
 * What one look at the machine showed. `problem` keeps it from verifying or makes its verdicts worse,
 * `warning` is worth knowing, `not_checked` could not be looked at, which is not the same as well.
 */
export type Finding = {
  check: string;
  state: 'ok' | 'warning' | 'problem' | 'not_checked';
  seen: string;
  remedy?: string;
};

export type Resolver = ReturnType<typeof createResolver>['uncached'];

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
