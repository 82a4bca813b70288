type Bounds<Item> = {
  /** Items that may be worked on side by side. */
  outstanding: number;
  /** Of these, those of one group; a group is what can only be served so fast. */
  perGroup: number;
  groupOf: (item: Item) => string;
  /** Items read and not yet handed on. This bounds the memory, however long the source is. */
  readAhead: number;
};

/**
 * Works on items side by side and yields the results in the order of the items. A result comes as soon as it and all
 * before it are ready, even if the source is slow. It reads ahead: many items of one group in a row take no more than
 * the share of a group, and those of others behind them are begun meanwhile.
 */
export async function* mapInOrder<Item, Result>(
  source: AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
  bounds: Bounds<Item>,
): AsyncGenerator<Result> {
  const line = createLine(source[Symbol.asyncIterator](), work, bounds);
  try {
    for (;;) {
      line.fill();
      const outcome = line.takeFirst();
      if (outcome?.status === 'rejected') throw outcome.reason;
      if (outcome !== undefined) yield outcome.value;
      else if (line.isOver()) return;
      else await line.ready();
    }
  } finally {
    line.close();
  }
}

/** An item that was read and not yet handed on, and what became of it. */
type Place<Item, Result> = {
  item: Item;
  group: string;
  outcome: PromiseSettledResult<Result> | undefined;
};

/** Items that are worked on, in order: read while there is room, and who takes results waits for the first alone. */
function createLine<Item, Result>(
  items: AsyncIterator<Item, unknown>,
  work: (item: Item) => Promise<Result>,
  bounds: Bounds<Item>,
) {
  const slots = createGroupSlots<Place<Item, Result>>(bounds, (place) => void workOn(place));
  const places: Place<Item, Result>[] = [];
  let isReading = false;
  let ended = false;
  let failure: { error: unknown } | undefined;
  let wake: (() => void) | undefined;

  function hasRoom(): boolean {
    return !ended && places.length < bounds.readAhead;
  }
  async function read(): Promise<void> {
    isReading = true;
    try {
      while (hasRoom()) {
        const next = await items.next();
        if (next.done === true) ended = true;
        else if (!ended) enter(next.value);
      }
    } catch (error) {
      failure = { error };
      ended = true;
    }
    isReading = false;
    if (ended) wake?.();
  }
  function enter(item: Item): void {
    const place = { item, group: bounds.groupOf(item), outcome: undefined };
    places.push(place);
    slots.enter(place);
  }
  async function workOn(place: Place<Item, Result>): Promise<void> {
    try {
      place.outcome = { status: 'fulfilled', value: await work(place.item) };
    } catch (reason) {
      place.outcome = { status: 'rejected', reason };
    }
    slots.leave(place.group);
    if (place === places[0]) wake?.();
  }

  return {
    fill(): void {
      if (!isReading && hasRoom()) void read();
    },
    takeFirst(): PromiseSettledResult<Result> | undefined {
      return places[0]?.outcome === undefined ? undefined : places.shift()?.outcome;
    },
    /** Whether nothing is left nor comes; throws where the source failed. */
    isOver(): boolean {
      if (failure !== undefined) throw failure.error;
      return ended && places.length === 0;
    },
    /** Until the first has an outcome, or the source comes to its end. */
    ready: () => new Promise<void>((resolve) => (wake = resolve)),
    /** Stops reading, because the caller has stopped. */
    close(): void {
      ended = true;
    },
  };
}

type Group<Entrant> = { running: number; waiting: Entrant[] };

/**
 * A fixed number of slots, with a maximum for each group. Among groups, the one that waits longest comes first. Work
 * begins when a slot is free and frees its slot at its end.
 */
function createGroupSlots<Entrant extends { group: string }>(
  { outstanding, perGroup }: { outstanding: number; perGroup: number },
  begin: (entrant: Entrant) => void,
) {
  const groups = new Map<string, Group<Entrant>>();
  /** Groups that wait for a slot and have not yet had their share. */
  const ready = new Set<Group<Entrant>>();
  let running = 0;

  function take(group: Group<Entrant>, entrant: Entrant): void {
    group.running += 1;
    running += 1;
    begin(entrant);
  }
  function readyAgain(group: Group<Entrant>): void {
    if (group.waiting.length > 0 && group.running < perGroup) ready.add(group);
  }
  function beginNext(): void {
    for (const group of ready) {
      ready.delete(group);
      const next = group.waiting.shift();
      if (next !== undefined) take(group, next);
      readyAgain(group);
      return;
    }
  }

  return {
    enter(entrant: Entrant): void {
      let group = groups.get(entrant.group);
      if (group === undefined) groups.set(entrant.group, (group = { running: 0, waiting: [] }));
      if (running < outstanding && group.running < perGroup) {
        take(group, entrant);
        return;
      }
      group.waiting.push(entrant);
      readyAgain(group);
    },
    leave(name: string): void {
      const group = groups.get(name);
      if (group === undefined) return;
      group.running -= 1;
      running -= 1;
      if (group.running === 0 && group.waiting.length === 0) groups.delete(name);
      else readyAgain(group);
      if (ready.size > 0) beginNext();
    },
  };
}
