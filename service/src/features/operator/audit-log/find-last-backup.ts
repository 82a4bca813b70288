import { statement, type Reader } from '../../../core/store/statement.ts';

/** Entries looked through for the last backup. Older ones are not found, and count as none. */
const entriesLookedThrough = 50_000;

const findNewest = statement((db) =>
  db.selectFrom('audit_log').select('number').orderBy('number', 'desc').limit(1),
);

const findBackedUp = statement((db, arg: { after: number }) =>
  db
    .selectFrom('audit_log')
    .select('at')
    .where('number', '>', arg.after)
    .where('action', '=', 'backed_up')
    .orderBy('number', 'desc')
    .limit(1),
);

/** When the last backup was taken, in milliseconds since 1970; 0 if none is known. */
export async function findLastBackup(reader: Reader): Promise<number> {
  const newest = (await reader.first(findNewest, {}))?.number ?? 0;
  return (await reader.first(findBackedUp, { after: newest - entriesLookedThrough }))?.at ?? 0;
}
