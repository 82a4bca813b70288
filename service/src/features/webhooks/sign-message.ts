import { createHmac, randomBytes } from 'node:crypto';

/**
 * Standard Webhooks 1.0.0: `{id}.{timestamp}.{body}`, signed with HMAC-SHA256 by every secret in force, so that a secret
 * can be rotated without a message that its receiver cannot verify.
 */
const secretPrefix = 'whsec_';

/** At least 24 bytes and at most 64, in base64. */
const secretBytes = 32;

export function makeSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64');
}

type SignedMessage = { id: string; body: string; secrets: string[]; now: number };

/** The three headers that the specification names. */
export function signMessage({ id, body, secrets, now }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
