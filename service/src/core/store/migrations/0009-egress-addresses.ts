import type { Migration } from './migration.ts';

/**
 * Who owns the egress addresses that mail hosts are asked from. It takes the place of the leases of single hosts (the
 * table `turn`, which programs before this one still used beside it; 0029-no-turns.ts drops it). Processes may be probers.
 */
export const egressAddresses: Migration = {
  version: 9,
  statements: ({ integer, keyedTable, dropCheck }) => [
    `create table egress_address (
      name text primary key, owner text not null, kind text not null check (kind in ('inside', 'outside')),
      fence ${integer} not null, lease_until ${integer} not null, state text not null, saved_at ${integer} not null,
      well ${integer} not null check (well in (0, 1)), why_not text not null, seen text not null
    ) ${keyedTable}`,
    ...dropCheck({ table: 'process', column: 'role' }),
  ],
};
