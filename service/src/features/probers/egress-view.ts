import type { ProcessRole } from '../../core/store/process-registry.ts';
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

const identityUnproven = 'identity_unproven';

/** The egress addresses from which no public mail host is asked, because their names are not proven, if all are so. */
export function unprovenEgress(view: EgressView): string[] {
  const usable = usableEgress(view);
  if (usable.some(({ well }) => well)) return [];
  return usable.flatMap(({ name, whyNot }) => (whyNot === identityUnproven ? [name] : []));
}

/** Why no mail host can be asked by anybody now, where that is so. */
export function problemOfEgress(view: EgressView): string | undefined {
  const usable = usableEgress(view);
  // An address whose HELO name is not proven still asks in opened blocks; the engine says what to set.
  if (usable.some(({ well, whyNot }) => well || whyNot === identityUnproven)) return undefined;
  if (usable.length === 0)
    return 'no prober: no process that may ask mail hosts runs, and no prober outside is connected (see docs/probers.md)';
  const told = usable.map(({ name, whyNot }) => `${name} (${whyNot.replaceAll('_', ' ')})`);
  return `no prober can ask mail hosts: ${told.join(', ')}`;
}
