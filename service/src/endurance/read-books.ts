import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Home } from './launch.ts';

/** The figures of an account. */
type Books = { granted: number; available: number; reserved: number; spent: number };

/** As they stand in the file at this moment; the command line says the same, in half a second instead of one millisecond. */
export function readBooks({ dataDir }: Home, accountId: string): Books {
  const database = new DatabaseSync(join(dataDir, 'mailproof.db'), { readOnly: true, timeout: 5_000 });
  try {
    const row = database
      .prepare('select granted, available, reserved, spent from account where id = ?')
      .get(accountId);
    const figure = (name: keyof Books) => {
      const value = row?.[name];
      if (typeof value !== 'number') throw new Error(`no ${name} in the books of ${accountId}`);
      return value;
    };
    return {
      granted: figure('granted'),
      available: figure('available'),
      reserved: figure('reserved'),
      spent: figure('spent'),
    };
  } finally {
    database.close();
  }
}
