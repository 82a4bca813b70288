import { createHmac, createSecretKey } from 'node:crypto';

/** Twelve hex digits tell the addresses of one installation apart in its log, and tell nobody else anything. */
const digits = 12;

export function createAddressHash(secret: string | Buffer): (email: string) => string {
  // Made once: turning bytes into a key takes several times as long as the hash itself.
  const key = createSecretKey(Buffer.from(secret));
  return (email) => createHmac('sha256', key).update(email.toLowerCase()).digest('hex').slice(0, digits);
}
