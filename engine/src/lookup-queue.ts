import type { Clock } from './clock.ts';
import { createFairSlots, type Asker } from './fair-queue.ts';
import type { Patience } from './patience.ts';

/**
 * Where the addresses of lists wait before their mail hosts are looked up. Thousands may be begun in one breath; were
 * they all looked up at once, each would use up the time of a DNS lookup waiting for the others. So only so many are
 * under way at a time, and a lookup's time begins when it does. Single verifications do not wait here.
 */
type LookupQueue = {
  /** Does the work once there is room for it; gives `late` where the deadline comes first. */
  run<Result>(
    request: Patience & { asker?: Asker },
    work: () => Promise<Result>,
    late: Result,
  ): Promise<Result>;
};

/** Begun between two ticks of the event loop, so that no tick is long for it. */
const mostAtOnce = 50;

export function createLookupQueue({ clock, places }: { clock: Clock; places: number }): LookupQueue {
  let underWay = 0;
  let begun = 0;
  const slots = createFairSlots({
    clock,
    rule: { hasRoom: () => underWay < places && begun < mostAtOnce, hasShare: () => true },
    onTaken() {
      if (begun === 0) clock.after(0, beginNextPortion);
      underWay += 1;
      begun += 1;
    },
    onReleased: () => void (underWay -= 1),
  });
  function beginNextPortion(): void {
    begun = 0;
    slots.serve();
  }

  return {
    async run(request, work, late) {
      request.signal.throwIfAborted();
      const { asker } = request;
      if (asker?.urgency !== 'bulk') return work();
      const slot = slots.takeNow(asker) ?? (await slots.take(asker, request));
      if (slot.kind === 'timeout') return late;
      try {
        return await work();
      } finally {
        slot.release();
      }
    },
  };
}
