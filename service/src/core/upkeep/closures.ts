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
