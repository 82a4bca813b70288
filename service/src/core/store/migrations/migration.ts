import type { SchemaWords } from '../dialect.ts';

/** One step from a schema to the next, in the words of either database; `migrate.ts` lists all and applies them. */
export type Migration = { version: number; statements(words: SchemaWords): string[] };
