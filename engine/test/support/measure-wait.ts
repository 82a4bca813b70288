import { systemClock } from '../../src/clock.ts';
import { oneHost, startEngine } from './start-engine.ts';

const shortMs = 1_000;
const sideBySide = 16;

/**
 * How long to wait for a host that is silent: a second, and more where this machine is so busy that hosts that are well
 * need nearly as long for all of a conversation.
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
