import type { BatchWork, Tx } from './statement.ts';

type OpenBatch = { items: unknown[]; answers: PromiseWithResolvers<unknown>[] };

/**
 * Gathers what the operations of a transaction want done at the same time, and does it together: items of the same
 * work and key, in the order of the asking. So what many callers want of one account costs a few statements and not
 * a few each.
 *
 * A batch waits until no operation can go on without an answer of the store: `nextTick` from within a microtask comes
 * after all that are due. It costs no round of the event loop, so an operation that is alone waits for nobody.
 *
 * Operations that run one after the other (see groups/commit-group.ts) are each alone in theirs: a batch that fails
 * fails for all of it, and all of it is then run again one by one.
 */
export function createBatches(tx: Tx): Tx['batch'] {
  const open = new Map<BatchWork<never, unknown>, Map<string, OpenBatch>>();

  async function runBatch<Item, Answer>(work: BatchWork<Item, Answer>, { items, answers }: OpenBatch) {
    try {
      // Only items of the same work are ever put into its batches.
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
    // What `run` answers to an item is of the type it says.
    return answer.promise as Promise<Answer>;
  }

  return batch;
}
