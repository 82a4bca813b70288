import type { Closure, Engine, ProviderBan } from '@mailproof/engine';

/** Egress addresses that are closed and providers that ban one, in words for the operator. */
export function describeClosure(closure: Closure): string {
  switch (closure.kind) {
    case 'listed':
      return `${closure.list} lists ${closure.address}; ask for its removal at ${closure.page}`;
    case 'suspected':
      return `many mail hosts say that it is on a block list (${closure.list}) that cannot be looked up from here`;
  }
}

function describeBan({ group, egress, code, page }: ProviderBan): string {
  return `${group} bans ${egress} (${code}); ask for the end of the ban at ${page}`;
}

/** One line for each; none if all is well. */
export function describeReputation({
  closed,
  bans,
}: Pick<ReturnType<Engine['health']>, 'closed' | 'bans'>): string[] {
  return [
    ...closed.map(({ egress, closure }) => `egress ${egress} is closed: ${describeClosure(closure)}`),
    ...bans.map(describeBan),
  ];
}

/** The engine says what is wrong with the resolver, this what to do about it. */
export function describeResolver(resolver: ReturnType<Engine['health']>['resolver']): string | undefined {
  if (resolver.kind === 'in_order') return undefined;
  return `${resolver.line}; set MAILPROOF_DNS_SERVERS to a resolver of the public DNS, or MAILPROOF_RESOLVER_PROBES to names of this network`;
}

/** Why public mail hosts are not asked from some egress route of this process, or not over one address family. */
export function describeIdentity(identity: ReturnType<Engine['health']>['identity']): string | undefined {
  const wrong = identity.filter(({ problem }) => problem !== undefined);
  if (wrong.length === 0) return undefined;
  const told = wrong.map(({ route, problem = '' }) =>
    identity.length === 1 ? problem : `${route}: ${problem}`,
  );
  return `public mail hosts are not asked: ${told.join('; ')}`;
}
