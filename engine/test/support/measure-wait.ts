import { systemClock } from '../../src/clock.ts';
import { oneHost, startEngine } from './start-engine.ts';

const shortMs = 1_000;
const sideBySide = 16;

/**
 * Returns how long to wait for a host that is silent. It is a second, and more if this machine is so busy that good
 * hosts need nearly as long for a whole conversation.
 */
export async function measureWait(): Promise<number> {
  const people = Array.from({ length: sideBySide }, (_, n) => `person${n}`);
  const mailboxes = Object.fromEntries(people.map((name) => [name, 'exists' as const]));
  const well = await startEngine(oneHost('well.test', { temper: { starttls: 'demanded' }, mailboxes }));
  const startedAt = systemClock.now();
  await Promise.all(people.map((name) => well.verify(`${name}@well.test`)));
  const tookMs = systemClock.now() - startedAt;
  await well.stop();
  return Math.max(shortMs, 5 * tookMs);
}
