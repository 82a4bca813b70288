import { createBoundedCache, providerOf } from '@mailproof/engine';
import type { CountedVerification } from '../../../core/verify/count-singles.ts';
import { statement, type Tx } from '../../../core/store/statement.ts';
import type { Store } from '../../../core/store/store.ts';
import type { WallClock } from '../../../core/store/wall-clock.ts';

/**
 * Counts of verification outcomes: by status, by the reason of an `unknown`, by provider. Never by address or domain.
 *
 * A count costs one step in a map and waits for nothing. Every few seconds, new counts are added to the store's rows,
 * which all processes share. Time has two steps: minutes for the last hours, quarters of an hour for a month. If the
 * store fails, counts wait until it is back.
 */
type VerdictCounts = {
  note: (verification: CountedVerification) => void;
  /** Adds new counts to the store, and deletes expired rows. */
  write: () => Promise<void>;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Retention per step of time. */
export const keptSteps = [
  { stepMs: minuteMs, keptMs: 7 * hourMs },
  { stepMs: 15 * minuteMs, keptMs: 31 * 24 * hourMs },
] as const;

/** Far more than reasons and providers make while a store is away for minutes; further ones are not counted. */
const mostGathered = 20_000;
const hostsRemembered = 1_000;
/** Rows per transaction, so that other writes get their turn. */
const slice = 100;

/** Counts of one minute. */
type Gathered = { minute: number; outcome: string; reason: string; provider: string; verdicts: number };

type Row = Omit<Gathered, 'minute'> & { step: number; begins: number };

const addToRow = statement((db, arg: Row) =>
  db
    .insertInto('verdict_count')
    .values({
      step_ms: arg.step,
      begins_at: arg.begins,
      outcome: arg.outcome,
      reason: arg.reason,
      provider: arg.provider,
      verdicts: arg.verdicts,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['step_ms', 'begins_at', 'outcome', 'reason', 'provider'])
        .doUpdateSet((eb) => ({ verdicts: eb('verdict_count.verdicts', '+', eb.ref('excluded.verdicts')) })),
    ),
);

const eraseOld = statement((db, arg: { step: number; before: number }) =>
  db.deleteFrom('verdict_count').where('step_ms', '=', arg.step).where('begins_at', '<', arg.before),
);

type VerdictCountsParts = {
  store: Pick<Store, 'write'>;
  wallClock: WallClock;
  /** Called for each, with its provider. */
  onCounted?: (verification: CountedVerification, provider: string) => void;
};

export function createVerdictCounts({ store, wallClock, onCounted }: VerdictCountsParts): VerdictCounts {
  const gathered = new Map<string, Gathered>();
  const nameProvider = rememberProviders();
  let erasedAt = -Infinity;

  function add(more: Gathered): void {
    const place = `${more.minute} ${more.outcome} ${more.reason} ${more.provider}`;
    const known = gathered.get(place);
    if (known !== undefined) known.verdicts += more.verdicts;
    else if (gathered.size < mostGathered) gathered.set(place, more);
  }

  async function writeGathered(): Promise<void> {
    // One order everywhere, so that two processes cannot deadlock.
    const taken = [...gathered].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    gathered.clear();
    for (let at = 0; at < taken.length; at += slice) {
      try {
        await store.write((tx) => addRows(tx, taken.slice(at, at + slice).flatMap(rowsOf)));
      } catch (error) {
        taken.slice(at).forEach(add);
        throw error;
      }
    }
  }

  async function erase(now: number): Promise<void> {
    if (now - erasedAt < minuteMs) return;
    await store.write(async (tx) => {
      for (const { stepMs, keptMs } of keptSteps)
        await tx.change(eraseOld, { step: stepMs, before: now - keptMs });
    });
    erasedAt = now;
  }

  return {
    note: (verification) => {
      const { outcome, reason, mailHost } = verification;
      const minute = Math.floor(wallClock.now() / minuteMs);
      const provider = mailHost === undefined ? 'none' : nameProvider(mailHost);
      add({ minute, outcome, reason: outcome === 'unknown' ? reason : '', provider, verdicts: 1 });
      onCounted?.(verification, provider);
    },
    write: async () => {
      await writeGathered();
      await erase(wallClock.now());
    },
  };
}

/** Caches providers: the table is long to search, and the same few hosts come again. */
function rememberProviders(): (mailHost: string) => string {
  const remembered = createBoundedCache<string>({ maxEntries: hostsRemembered });
  return (mailHost) => {
    const known = remembered.peek(mailHost);
    if (known !== undefined) return known;
    const name = providerOf(mailHost)?.id ?? 'other';
    remembered.set(mailHost, name);
    return name;
  };
}

function rowsOf({ minute, ...counted }: Gathered): Row[] {
  const at = minute * minuteMs;
  return keptSteps.map(({ stepMs }) => ({ ...counted, step: stepMs, begins: at - (at % stepMs) }));
}

async function addRows(tx: Tx, rows: Row[]): Promise<void> {
  for (const row of rows) await tx.change(addToRow, row);
}
