import type { ProcessRole } from '../../core/store/process-registry.ts';
import { hasOwner, mayFindOwner, type EgressAddress } from './egress-addresses.ts';
import { probingRoles } from './who-may-ask.ts';

/** The egress addresses as one process last read them. */
export type EgressView = {
  rows: readonly EgressAddress[];
  /** The processes of the installation that are not known to be dead, including this one. */
  living: readonly { id: string; role: ProcessRole }[];
  /** Whether this process may own egress addresses. */
  mayOwn: boolean;
  now: number;
};

/** Returns the usable addresses: with an owner, or about to get one. */
export function usableEgress({ rows, now, ...view }: EgressView): EgressAddress[] {
  return rows.filter((row) => hasOwner(row, now) || (mayFindOwner(row, now) && hasStandBy(row, view)));
}

/** Tells whether another process may take the address over, or its owner may return. */
function hasStandBy(
  { owner }: EgressAddress,
  { living, mayOwn }: Pick<EgressView, 'living' | 'mayOwn'>,
): boolean {
  return mayOwn || living.some(({ id, role }) => id === owner || probingRoles.has(role));
}

const identityUnproven = 'identity_unproven';

/**
 * Returns the egress addresses whose names are not proven and that so ask no public mail host, if that applies to all.
 */
export function unprovenEgress(view: EgressView): string[] {
  const usable = usableEgress(view);
  if (usable.some(({ well }) => well)) return [];
  return usable.flatMap(({ name, whyNot }) => (whyNot === identityUnproven ? [name] : []));
}

/** Returns why no process can ask mail hosts now; `undefined` if one can. */
export function problemOfEgress(view: EgressView): string | undefined {
  const usable = usableEgress(view);
  // An address without a proven HELO name still asks in opened blocks; the engine says what to set.
  if (usable.some(({ well, whyNot }) => well || whyNot === identityUnproven)) return undefined;
  if (usable.length === 0)
    return 'no prober: no process that may ask mail hosts runs, and no prober outside is connected (see docs/probers.md)';
  const told = usable.map(({ name, whyNot }) => `${name} (${whyNot.replaceAll('_', ' ')})`);
  return `no prober can ask mail hosts: ${told.join(', ')}`;
}
