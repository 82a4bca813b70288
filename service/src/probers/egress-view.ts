import type { ProcessRole } from '../db/process-registry.ts';
import { hasOwner, mayFindOwner, type EgressAddress } from './egress-addresses.ts';
import { probingRoles } from './who-may-ask.ts';

/** The egress addresses as one process last saw them, and what follows from that. */
export type EgressView = {
  rows: readonly EgressAddress[];
  /** The processes of the installation that are not known to be dead, this one too. */
  living: readonly { id: string; role: ProcessRole }[];
  /** Whether this process may own egress addresses. */
  mayOwn: boolean;
  now: number;
};

/** The addresses that can be asked from: those that have an owner, and those that another process is about to own. */
export function usableEgress({ rows, now, ...view }: EgressView): EgressAddress[] {
  return rows.filter((row) => hasOwner(row, now) || (mayFindOwner(row, now) && hasStandBy(row, view)));
}

/** Whether anybody is there that may take an address over, or its owner may come back. */
function hasStandBy(
  { owner }: EgressAddress,
  { living, mayOwn }: Pick<EgressView, 'living' | 'mayOwn'>,
): boolean {
  return mayOwn || living.some(({ id, role }) => id === owner || probingRoles.has(role));
}

/** Why no mail host can be asked by anybody now, where that is so. */
export function problemOfEgress(view: EgressView): string | undefined {
  const usable = usableEgress(view);
  if (usable.some(({ well }) => well)) return undefined;
  if (usable.length === 0)
    return 'no prober: no process that may ask mail hosts runs, and no prober outside is connected (see docs/probers.md)';
  const told = usable.map(({ name, whyNot }) => `${name} (${whyNot.replaceAll('_', ' ')})`);
  return `no prober can ask mail hosts: ${told.join(', ')}`;
}
