import { createHmac } from 'node:crypto';

/** Twelve hex digits tell the addresses of one installation apart in its log, and tell nobody else anything. */
const digits = 12;

export function createAddressHash(secret: string | Buffer): (email: string) => string {
  return (email) => createHmac('sha256', secret).update(email.toLowerCase()).digest('hex').slice(0, digits);
}
