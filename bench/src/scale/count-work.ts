/** What the database was asked and what it wrote, since the last look. */
import { ownMark, type BenchDatabase } from '../processes/bench-postgres.ts';

export type Work = {
  /** Every statement, those of transactions included. */
  statements: number;
  /** Transactions that wrote: each is one wait for the disk at most. */
  commits: number;
  walBytes: number;
  /** Statements by what they do, the most frequent first. */
  byText: { text: string; calls: number; ms: number }[];
};

export type WorkCounter = { restart(): Promise<void>; read(): Promise<Work> };

const shownStatements = 12;

export function createWorkCounter(database: BenchDatabase): WorkCounter {
  let walBefore = '0/0';
  const walNow = async (): Promise<string> =>
    String((await database.ask('select pg_current_wal_lsn()::text as lsn'))[0]?.['lsn']);

  return {
    async restart() {
      await database.ask('select pg_stat_statements_reset()');
      walBefore = await walNow();
    },
    async read() {
      const [wal] = await database.ask(
        `select pg_wal_lsn_diff(pg_current_wal_lsn(), '${walBefore}')::float8 as bytes`,
      );
      const rows = await database.ask(
        `select query, calls::float8 as calls, total_exec_time as ms from pg_stat_statements
         where dbid = (select oid from pg_database where datname = current_database())
           and query not like '%${ownMark}%' order by calls desc`,
      );
      const byText = rows.map((row) => ({
        text: oneLine(String(row['query'])),
        calls: Number(row['calls']),
        ms: Number(row['ms']),
      }));
      return {
        statements: byText.reduce((total, { calls }) => total + calls, 0),
        commits: byText.find(({ text }) => text === 'commit')?.calls ?? 0,
        walBytes: Number(wal?.['bytes']),
        byText: byText.slice(0, shownStatements),
      };
    },
  };
}

function oneLine(query: string): string {
  const text = query.replaceAll(/\s+/g, ' ').trim();
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
