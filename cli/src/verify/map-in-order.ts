type Bounds<Item> = {
  /** Items that may be worked on side by side. */
  outstanding: number;
  /** Of these, those of one group; a group is what can only be served so fast. */
  perGroup: number;
  groupOf: (item: Item) => string;
  /** Items read and not yet handed on: what is held does not grow with the source. */
  readAhead: number;
};

/**
 * Works on items side by side and hands the results on in the order of the items, each as soon as it and all before it
 * are there, however long the source takes over its next item. It reads ahead: many items of one group in a row take no
 * more than the share of a group, and those of others behind them are begun meanwhile.
 */
export async function* mapInOrder<Item, Result>(
  source: AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
  bounds: Bounds<Item>,
): AsyncGenerator<Result> {
  const slots = createGroupSlots(bounds);
  const items = source[Symbol.asyncIterator]();
  const begun: Promise<Result>[] = [];
  let reading: Promise<IteratorResult<Item, unknown>> | undefined;
  let ended = false;
  while (!ended || begun.length > 0) {
    if (reading === undefined && !ended && begun.length < bounds.readAhead) reading = items.next();
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
    const result = slots.run(bounds.groupOf(read.value), () => work(read.value));
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

type Group = { running: number; waiting: (() => void)[] };

/** So many slots, of which no group has more than its share. Among groups, the one that waits longest comes first. */
function createGroupSlots({ outstanding, perGroup }: { outstanding: number; perGroup: number }) {
  const groups = new Map<string, Group>();
  /** Groups that wait for a slot and have not yet had their share. */
  const ready = new Set<Group>();
  let running = 0;

  function readyAgain(group: Group): void {
    if (group.waiting.length > 0 && group.running < perGroup) ready.add(group);
  }
  function beginNext(): void {
    const [group] = ready;
    const next = group?.waiting.shift();
    if (group === undefined || next === undefined) return;
    take(group);
    ready.delete(group);
    readyAgain(group);
    next();
  }
  function take(group: Group): void {
    group.running += 1;
    running += 1;
  }
  function release(name: string, group: Group): void {
    group.running -= 1;
    running -= 1;
    if (group.running === 0 && group.waiting.length === 0) groups.delete(name);
    readyAgain(group);
    beginNext();
  }

  return {
    async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
      const group = groups.get(name) ?? { running: 0, waiting: [] };
      groups.set(name, group);
      if (running < outstanding && group.running < perGroup) take(group);
      else {
        await new Promise<void>((resolve) => {
          group.waiting.push(resolve);
          readyAgain(group);
        });
      }
      try {
        return await work();
      } finally {
        release(name, group);
      }
    },
  };
}
