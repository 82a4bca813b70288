/**
 * All names of the world. A lookup tells apart a name with records, a name that exists only because
 * something stands below it (RFC 8020), and no name at all.
 */
import type { Zone } from './zone.ts';

export type ZoneBook = {
  find(name: string): Zone | undefined;
  /** The name exists, if only as a parent of another. */
  exists(name: string): boolean;
};

export function zoneBook(zones: Record<string, Zone>): ZoneBook {
  const byName = new Map<string, Zone>();
  const parents = new Set<string>();
  for (const [name, zone] of Object.entries(zones)) {
    const canonical = name.toLowerCase();
    byName.set(canonical, zone);
    for (const parent of ancestors(canonical)) parents.add(parent);
  }
  const hasWildcards = [...byName.keys()].some((name) => name.startsWith('*.'));

  const find = (name: string): Zone | undefined =>
    byName.get(name) ?? (hasWildcards && !parents.has(name) ? findWildcard(byName, name) : undefined);
  return { find, exists: (name) => find(name) !== undefined || parents.has(name) };
}

/** The closest `*.parent`, as RFC 4592 has it. */
function findWildcard(byName: Map<string, Zone>, name: string): Zone | undefined {
  for (const parent of ancestors(name)) {
    const zone = byName.get(`*.${parent}`);
    if (zone !== undefined) return zone;
  }
  return undefined;
}

function ancestors(name: string): string[] {
  const labels = name.split('.');
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'));
}
