import { inspect } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';

/** What is waited for is a fact. The deadline only ends a test that would wait for ever; no promise depends on it. */
const givesUpAfterMs = 180_000;
const lookEveryMs = 10;

/** Looks again and again until what is seen is as wanted, and gives it back. */
export async function until<Seen>(
  look: () => Seen | Promise<Seen>,
  wanted: (seen: Seen) => boolean = Boolean,
): Promise<Seen> {
  const deadline = performance.now() + givesUpAfterMs;
  for (;;) {
    const seen = await look();
    if (wanted(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`waited in vain; last seen: ${describe(seen)}`);
    await sleep(lookEveryMs);
  }
}

function describe(seen: unknown): string {
  return inspect(seen).slice(0, 2_000);
}
