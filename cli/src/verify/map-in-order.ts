/** At most `atOnce` run side by side, at most `window` have been begun and not yet handed on. */
type Bounds = { atOnce: number; window: number };

/**
 * Works on items side by side and hands the results on in the order of the items, each as soon as it and
 * all before it are there, however long the source takes over its next item. A slow item holds up those
 * behind it only once the window is full, and the source is read no further than that: what is held does
 * not grow with the source.
 */
export async function* mapInOrder<Item, Result>(
  source: AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
  { atOnce, window }: Bounds,
): AsyncGenerator<Result> {
  const slots = createSlots(atOnce);
  const items = source[Symbol.asyncIterator]();
  const begun: Promise<Result>[] = [];
  let reading: Promise<IteratorResult<Item, unknown>> | undefined;
  let ended = false;
  while (!ended || begun.length > 0) {
    if (reading === undefined && !ended && begun.length < window) reading = items.next();
    const [first] = begun;
    const next = await whicheverFirst(reading, first);
    if (next === 'result') {
      void begun.shift();
      if (first !== undefined) yield await first;
      continue;
    }
    const read = await reading;
    reading = undefined;
    if (read === undefined || read.done === true) {
      ended = true;
      continue;
    }
    const result = slots.run(() => work(read.value));
    // It is awaited when its turn comes; until then a failure must not count as unhandled.
    result.catch(() => undefined);
    begun.push(result);
  }
}

/** What there is to go on with: an item that was read, or the result that is next in line. */
async function whicheverFirst(
  reading: Promise<unknown> | undefined,
  first: Promise<unknown> | undefined,
): Promise<'item' | 'result'> {
  if (first === undefined) return 'item';
  if (reading === undefined) return 'result';
  return await Promise.race([reading.then(() => 'item' as const), first.then(() => 'result' as const)]);
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
