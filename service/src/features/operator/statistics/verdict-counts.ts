import { createBoundedCache, providerOf } from '@mailproof/engine';
import type { CountedVerification } from '../../../core/verify/count-singles.ts';
import { statement, type Tx } from '../../../core/store/statement.ts';
import type { Store } from '../../../core/store/store.ts';
import type { WallClock } from '../../../core/store/wall-clock.ts';

/**
 * Counts how verifications come out: by status, by the reason of an `unknown`, by provider. Never by address or domain.
 *
 * Whoever counts pays for one step in a map and waits for nothing; every few seconds what has gathered is added to
 * the rows of the store, which all processes add to. Time is kept in two steps: minutes for the last hours, quarters
 * of an hour for a month. A store that fails costs nothing but the wait until it is back.
 */
export type VerdictCounts = {
  note: (verification: CountedVerification) => void;
  /** Adds what has gathered to the store, and erases what is too old. */
  write: () => Promise<void>;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How long each step of time is kept. */
export const keptSteps = [
  { stepMs: minuteMs, keptMs: 7 * hourMs },
  { stepMs: 15 * minuteMs, keptMs: 31 * 24 * hourMs },
] as const;

/** Far more than there are reasons and providers in the minutes a store is away; what is beyond is not counted. */
const mostGathered = 20_000;
const hostsRemembered = 1_000;
/** So many in one transaction, so that others get their turn. */
const slice = 100;

/** What has gathered in one minute. */
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
  /** Told of each, with its provider. */
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
    // In one order everywhere, so that two processes never wait for each other's rows.
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

/** The table of providers is long to go through, and the same few hosts come again and again. */
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
