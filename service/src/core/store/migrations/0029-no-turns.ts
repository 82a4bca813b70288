import type { Migration } from './migration.ts';

/**
 * Drops the table of host leases. Programs have used egress addresses in its place since schema 9, and those that know
 * less than schema 18 do not work on this one anyway.
 */
export const noTurns: Migration = {
  version: 29,
  statements: () => ['drop table turn'],
};
