/** What the last run that was written down had found on a database. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseFigures } from './measure-lists.ts';

const file = join(import.meta.dirname, '../../results/lists.json');

export function keptFigures(database: DatabaseFigures['database']): DatabaseFigures | undefined {
  if (!existsSync(file)) return undefined;
  // Only this benchmark writes it.
  const { databases } = JSON.parse(readFileSync(file, 'utf8')) as { databases: DatabaseFigures[] };
  return databases.find((one) => one.database === database);
}
