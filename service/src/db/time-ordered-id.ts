import { randomUUID } from 'node:crypto';

/**
 * A UUID of version 7 (RFC 9562 5.7): milliseconds first, 74 random bits after. New rows then go to the
 * end of an index instead of all over it. Not for ids that must not be guessed or must not tell their time.
 */
export function timeOrderedId(now: number): string {
  const time = now.toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
