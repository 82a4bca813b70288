import type { Schema } from '../db/schema.ts';

/**
 * What a copy of an installation takes along, in an order in which every row finds those that it refers to. Processes and
 * turns belong to those who run, and the version to the database.
 */
type CopiedTable = Exclude<keyof Schema, 'process' | 'turn' | 'schema_version'>;

/** The columns of a table's primary key, each with a value that comes before all of its own. A table that is forgotten does not compile. */
type Keys = {
  readonly [Table in CopiedTable]: { readonly [Column in keyof Schema[Table]]?: '' | -1 };
};

const keys: Keys = {
  account: { id: '' },
  api_key: { id: '' },
  session: { id_hash: '' },
  hold: { account_id: '', id: '' },
  entry: { account_id: '', number: -1 },
  idempotency: { account_id: '', request_key: '' },
  list: { id: '' },
  list_piece: { list_id: '', number: -1 },
  list_row: { list_id: '', row: -1 },
  list_count: { list_id: '', status: '', provider: '' },
  task: { id: '' },
  item: { task_id: '', position: -1 },
  engine_memory: { kind: '', key: '' },
  audit_log: { number: -1 },
  verdict_count: { step_ms: -1, begins_at: -1, outcome: '', reason: '', provider: '' },
};

export type TableToCopy = { name: string; beforeAll: Readonly<Record<string, '' | -1>> };

export const tablesToCopy: readonly TableToCopy[] = Object.entries(keys).map(([name, beforeAll]) => ({
  name,
  beforeAll,
}));
