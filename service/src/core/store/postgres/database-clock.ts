import type { Connection } from '../connection.ts';
import type { WallClock } from '../wall-clock.ts';

/**
 * The database's time in this process: looked up now and then, and carried on by the monotonic clock. So all
 * processes of an installation agree on when a lease ends, whatever their own clocks say. It never goes back; where the
 * database's clock was set back, it stands still until that has caught up.
 */
type DatabaseClock = WallClock & {
  /** Looks at the database's clock. */
  look: () => Promise<void>;
};

type DatabaseClockParts = {
  connection: Pick<Connection, 'execute'>;
  monotonic: { now(): number };
};

const exactWithinMs = 250;

const findTime = `select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;

export function createDatabaseClock({ connection, monotonic }: DatabaseClockParts): DatabaseClock {
  let offset = Number.NaN;
  let latest = 0;

  return {
    now: () => {
      if (Number.isNaN(offset)) throw new Error("the database's clock was not looked at");
      latest = Math.max(latest, Math.round(monotonic.now() + offset));
      return latest;
    },
    look: async () => {
      const asked = monotonic.now();
      const { rows } = await connection.execute(findTime, []);
      const answered = monotonic.now();
      // An answer that was held up tells less than is known.
      if (answered - asked > exactWithinMs && !Number.isNaN(offset)) return;
      // The database looked somewhere between the asking and the answer.
      offset = timeOf(rows[0]) - (asked + answered) / 2;
    },
  };
}

function timeOf(row: unknown): number {
  if (typeof row === 'object' && row !== null && 'now' in row && typeof row.now === 'number') return row.now;
  throw new Error('the database did not tell the time');
}
