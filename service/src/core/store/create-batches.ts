import type { BatchWork, Tx } from './statement.ts';

type OpenBatch = { items: unknown[]; answers: PromiseWithResolvers<unknown>[] };

/**
 * Collects work that operations of a transaction request at the same time, and does it in batches. A batch holds
 * items of the same work and key, in the order requested. Many callers of one account thus cost a few statements in
 * all, not a few each.
 *
 * A batch waits until every operation needs an answer of the store: `nextTick` from a microtask runs after all
 * microtasks. The wait costs no round of the event loop, so a single operation is not delayed.
 *
 * A batch fails as a whole; the operations in it then run again one by one (see groups/commit-group.ts). In that
 * second run each operation has a batch to itself.
 */
export function createBatches(tx: Tx): Tx['batch'] {
  const open = new Map<BatchWork<never, unknown>, Map<string, OpenBatch>>();

  async function runBatch<Item, Answer>(work: BatchWork<Item, Answer>, { items, answers }: OpenBatch) {
    try {
      // The cast holds: a batch only gets items of its own work.
      const found = await work.run(tx, items as Item[]);
      answers.forEach(({ resolve }, place) => resolve(found[place]));
    } catch (error) {
      for (const { reject } of answers) reject(error);
    }
  }

  function openBatch<Item, Answer>(work: BatchWork<Item, Answer>, key: string): OpenBatch {
    const batches = open.get(work) ?? new Map<string, OpenBatch>();
    const known = batches.get(key);
    if (known !== undefined && known.items.length < work.most) return known;
    const fresh: OpenBatch = { items: [], answers: [] };
    open.set(work, batches.set(key, fresh));
    const start = () => {
      if (batches.get(key) === fresh) batches.delete(key);
      void runBatch(work, fresh);
    };
    queueMicrotask(() => process.nextTick(start));
    return fresh;
  }

  function batch<Item, Answer>(work: BatchWork<Item, Answer>, key: string, item: Item): Promise<Answer> {
    const { items, answers } = openBatch(work, key);
    const answer = Promise.withResolvers<unknown>();
    items.push(item);
    answers.push(answer);
    // The cast holds: `run` returns an `Answer` for each item.
    return answer.promise as Promise<Answer>;
  }

  return batch;
}
