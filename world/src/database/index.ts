/** A database for fault tests: a private PostgreSQL, and a disk that can be filled up. */
export { findPostgresPrograms, startPrivatePostgres } from './private-postgres.ts';
export type { PrivatePostgres } from './private-postgres.ts';
export { mountSmallDisk } from './small-disk.ts';
export type { SmallDisk } from './small-disk.ts';
