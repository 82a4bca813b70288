/** At most `atOnce` run side by side, at most `window` have been begun and not yet handed on. */
export type Bounds = { atOnce: number; window: number };

/**
 * Works on items side by side and hands the results on in the order of the items. A slow item holds up
 * those behind it only once the window is full, and the source is read no further than that: what is
 * held does not grow with the source. When the consumer stops early, nothing new is begun.
 */
export async function* mapInOrder<Item, Result>(
  source: AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
  { atOnce, window }: Bounds,
): AsyncGenerator<Result> {
  const slots = createSlots(atOnce);
  const begun: Promise<Result>[] = [];
  for await (const item of source) {
    const result = slots.run(() => work(item));
    // It is awaited when its turn comes; until then a failure must not count as unhandled.
    result.catch(() => undefined);
    begun.push(result);
    if (begun.length < window) continue;
    const first = begun.shift();
    if (first !== undefined) yield await first;
  }
  for (const result of begun) yield await result;
}

function createSlots(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async run<Result>(work: () => Promise<Result>): Promise<Result> {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
