import type { Clock } from '@mailproof/engine';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { ProbeResult } from './probe-source.ts';

type CountParts = {
  store: Pick<Store, 'write'>;
  clock: Clock;
  onProblem: (message: string, error: unknown) => void;
};

const addCounts = statement((db, arg: { id: string; answered: number; unknown: number }) =>
  db
    .updateTable('prober')
    .set((eb) => ({ answered: eb('answered', '+', arg.answered), unknown: eb('unknown', '+', arg.unknown) }))
    .where('id', '=', arg.id),
);

/** Counts answers for the operator and writes them down together, so that no verdict waits for them. */
export function createCounts({ store, clock, onProblem }: CountParts) {
  const uncounted = new Map<string, { answered: number; unknown: number }>();
  let cancel: (() => void) | undefined;

  function write(): void {
    cancel = undefined;
    const all = [...uncounted];
    uncounted.clear();
    store
      .write(async (tx) => {
        for (const [id, counts] of all) await tx.change(addCounts, { id, ...counts });
      })
      .catch((error: unknown) => onProblem('the answers of probers could not be counted', error));
  }

  return {
    add(id: string, counted: readonly ProbeResult[]): void {
      if (counted.length === 0) return;
      const { answered, unknown } = uncounted.get(id) ?? { answered: 0, unknown: 0 };
      const without = counted.filter(({ evidence }) => evidence?.kind !== 'answered').length;
      uncounted.set(id, { answered: answered + counted.length, unknown: unknown + without });
      cancel ??= clock.after(countEveryMs, write);
    },
    stop: () => cancel?.(),
  };
}

const countEveryMs = 1_000;
