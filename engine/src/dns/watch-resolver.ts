/**
 * Tells whether the resolver denies names that are known to exist. Split DNS, a VPN and a captive portal do, and each
 * denial would become a wrong verdict that is charged for.
 *
 *     unproven ──▶ in_order ◀──▶ denies
 *
 * Names that must exist are asked at the start, every `resolverProbeMs`, and every `resolverProbeAgainMs` while one of
 * them is denied. A large provider that is denied in the course of a verification is asked for along with them from then
 * on, until its mail hosts are found. No answer changes nothing: silence is no denial.
 *
 * On the way into and out of `denies` every denial leaves the cache; a finding that began before the way out stays in
 * doubt. An operator who names no names (a closed network) is told of a denied provider, and nothing is doubted.
 */
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Resolver } from './lookup.ts';
import type { MailRoute } from './mail-route.ts';
import { probeProviders, probeResolver, type ResolverFinding } from './probe-resolver.ts';
import { waitFor } from './wait-for.ts';

export type ResolverState = { kind: 'in_order' } | { kind: 'denies'; line: string };

export type ResolverWatch = {
  /** Whether a denial that was gathered from `since` (on the clock) until now may be wrong. */
  inDoubt(since: number, patience: Patience): Promise<boolean>;
  /** A domain that takes mail for certain was denied. */
  noteDenied(name: CanonicalHost): void;
  state(): ResolverState;
  /** Ends the round under way, and no other begins. */
  stop(): void;
};

type WatchParts = {
  names: readonly CanonicalHost[];
  resolver: { uncached: Pick<Resolver, 'mx' | 'ipv4'>; forgetMissing(): void };
  /** Where the mail of a domain goes, as the resolver says now. */
  findMailRoute(domain: CanonicalHost, patience: Patience): Promise<MailRoute>;
  clock: Clock;
  limits: Pick<Limits, 'dnsLookupMs' | 'resolverProbeMs' | 'resolverProbeAgainMs'>;
  /** Told, in one line, that names are denied and that they are found again. */
  onProblem(message: string): void;
};

/** Providers that a verification met as denied and that are asked along; more would tell nothing new. */
const providersAskedAlong = 8;

export function watchResolver(parts: WatchParts): ResolverWatch {
  return parts.names.length === 0 ? tellOnly(parts) : startRounds(parts);
}

function startRounds(parts: WatchParts): ResolverWatch {
  const { clock, limits, resolver } = parts;
  const stopped = new AbortController();
  const denied = new Set<CanonicalHost>();
  let state: ResolverState = { kind: 'in_order' };
  let goodFrom = -Infinity;
  let cancelTimer: () => void = () => undefined;
  let round: Promise<'asked' | 'late'> = ask();

  async function ask(): Promise<'asked'> {
    const providers = [...denied];
    const patience = { deadline: clock.now() + limits.dnsLookupMs, signal: stopped.signal };
    try {
      const findings = await Promise.all([
        probeResolver(parts.names, resolver.uncached, patience),
        probeProviders(providers, (domain, asked) => parts.findMailRoute(domain, asked), patience),
      ]);
      heed(findings, providers);
    } catch (error) {
      if (!stopped.signal.aborted) parts.onProblem(`the resolver could not be tried: ${String(error)}`);
    }
    scheduleNext();
    return 'asked';
  }

  function heed(findings: readonly ResolverFinding[], providers: readonly CanonicalHost[]): void {
    const names = findings.flatMap((finding) => (finding.kind === 'denies' ? finding.names : []));
    if (names.length > 0) doubt(names);
    if (findings.some(({ kind }) => kind !== 'in_order')) return;
    providers.forEach((name) => denied.delete(name));
    // What was met as denied while this round was under way is asked for in the next.
    if (state.kind === 'in_order' || denied.size > 0) return;
    resolver.forgetMissing();
    state = { kind: 'in_order' };
    goodFrom = clock.now();
    parts.onProblem('the resolver finds again what it denied');
  }

  function doubt(names: readonly CanonicalHost[]): void {
    const line = lineFor(names);
    if (state.kind === 'in_order') {
      resolver.forgetMissing();
      parts.onProblem(line);
    }
    state = { kind: 'denies', line };
  }

  function scheduleNext(): void {
    cancelTimer();
    if (stopped.signal.aborted) return;
    const waitMs = state.kind === 'denies' ? limits.resolverProbeAgainMs : limits.resolverProbeMs;
    cancelTimer = clock.after(waitMs, () => {
      round = ask();
    });
  }

  return {
    async inDoubt(since, patience) {
      // Before the first round has ended nothing speaks for the resolver.
      const asked = await waitFor(round, { clock, patience, late: 'late' });
      return asked === 'late' || state.kind === 'denies' || goodFrom > since;
    },
    noteDenied(name) {
      if (denied.size < providersAskedAlong) denied.add(name);
      const wasInOrder = state.kind === 'in_order';
      doubt([name]);
      if (wasInOrder) scheduleNext();
    },
    state: () => state,
    stop() {
      stopped.abort();
      cancelTimer();
    },
  };
}

function tellOnly(parts: WatchParts): ResolverWatch {
  const { clock, limits } = parts;
  let toldAt = -Infinity;
  return {
    inDoubt: () => Promise.resolve(false),
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
  return `the resolver denies what is known to exist (${names.join(', ')}): no domain is called dead on its word until that is found again`;
}
