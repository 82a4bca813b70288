import { randomUUID } from 'node:crypto';

/**
 * Returns a UUID of version 7 (RFC 9562 5.7): milliseconds first, then 74 random bits. New rows go to the end of an
 * index instead of all over it. Do not use it for ids that must be unguessable or must not reveal their time.
 */
export function timeOrderedId(now: number): string {
  // Two small numbers are formatted far faster than a large one.
  const high = Math.floor(now / 0x1_0000).toString(16);
  const low = (now % 0x1_0000).toString(16);
  return `${high.padStart(8, '0')}-${low.padStart(4, '0')}-7${randomUUID().slice(15)}`;
}
