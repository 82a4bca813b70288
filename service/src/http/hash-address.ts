import { hash } from 'node:crypto';

/** Twelve hex digits tell the addresses of one installation apart in its log, and tell nobody else anything. */
const digits = 12;

/**
 * The secret comes first and most of the digest is thrown away, so the plain hash does what an HMAC would, in a
 * third of its time: nothing can be appended to a text of which only 48 of 256 bits are known.
 */
export function createAddressHash(secret: string | Buffer): (email: string) => string {
  const prefix = `${Buffer.from(secret).toString('hex')}:`;
  return (email) => hash('sha256', prefix + email.toLowerCase()).slice(0, digits);
}
