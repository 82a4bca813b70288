import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from './open-installation.ts';

/** Waits until earlier work has ended: for half a second no mail host was called. */
export async function untilWorldIsQuiet({ world }: Pick<Installation, 'world'>): Promise<void> {
  for (let before = -1; before !== world.counts.smtp.connections;) {
    before = world.counts.smtp.connections;
    await sleep(500);
  }
}
