import { inspect } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';

/** Tests wait for facts. The deadline only ends a test that would wait for ever; no promise depends on it. */
const givesUpAfterMs = 180_000;
const lookEveryMs = 10;

/** Polls until `wanted` holds, and returns the last value. */
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
