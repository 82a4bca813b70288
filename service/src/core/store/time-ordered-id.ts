import { randomUUID } from 'node:crypto';

/**
 * A UUID of version 7 (RFC 9562 5.7): milliseconds first, 74 random bits after. New rows then go to the
 * end of an index instead of all over it. Not for ids that must not be guessed or must not tell their time.
 */
export function timeOrderedId(now: number): string {
  // Two small numbers are written far faster than one large one.
  const high = Math.floor(now / 0x1_0000).toString(16);
  const low = (now % 0x1_0000).toString(16);
  return `${high.padStart(8, '0')}-${low.padStart(4, '0')}-7${randomUUID().slice(15)}`;
}
