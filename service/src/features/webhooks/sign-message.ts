import { createHmac, randomBytes } from 'node:crypto';

/**
 * Standard Webhooks 1.0.0: `{id}.{timestamp}.{body}`, signed with HMAC-SHA256 by every valid secret. So a receiver can
 * verify every message while its secret is rotated.
 */
const secretPrefix = 'whsec_';

/** The specification wants 24 to 64 bytes, in base64. */
const secretBytes = 32;

export function makeSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64');
}

type SignedMessage = { id: string; body: string; secrets: string[]; now: number };

/** Returns the three headers of the specification. */
export function signMessage({ id, body, secrets, now }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
