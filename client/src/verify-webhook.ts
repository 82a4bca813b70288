import type { WebhookEvent } from './contract.ts';

/**
 * Tells whether a message that came to an endpoint of yours was sent by the service, just now, as it is: the check of
 * Standard Webhooks 1.0.0. Hand it the body as it arrived, before anything parses it.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (id === undefined || timestamp === undefined || signatures === undefined)
    throw new WebhookVerificationError('missing_headers');
  checkTime(timestamp);
  const key = await importSecret(secret);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  // A rotated secret makes two; a later version of the specification may add others, which are passed over.
  for (const signature of signatures.split(' ').slice(0, mostSignatures)) {
    const [version, text = ''] = signature.split(',', 2);
    const given = version === 'v1' ? fromBase64(text) : undefined;
    // The comparison is the platform's own, which takes as long for a wrong signature as for a right one.
    if (given !== undefined && (await crypto.subtle.verify('HMAC', key, given, signed)))
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
  }
  throw new WebhookVerificationError('no_matching_signature');
}

/** The headers of a `Request`, or the plain object that Node's `http` and its frameworks have. */
export type WebhookHeaders =
  { get(name: string): string | null } | Record<string, string | string[] | undefined>;

export type WebhookFault =
  | 'missing_headers'
  /** It is no `whsec_…`. */
  | 'bad_secret'
  /** The message is more than five minutes off, as one that was recorded and sent again would be. */
  | 'timestamp_too_old'
  | 'timestamp_in_the_future'
  | 'no_matching_signature';

/** The message is not to be believed. Answer 400, and do nothing of what it says. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookFault;

  constructor(reason: WebhookFault) {
    super(`The webhook cannot be verified: ${reason}`);
    this.reason = reason;
  }
}

const toleranceSeconds = 300;
const mostSignatures = 10;

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const plain = headers as Record<string, string | string[] | undefined>;
  const found = Object.keys(plain).find((key) => key.toLowerCase() === name);
  const value = found === undefined ? undefined : plain[found];
  return Array.isArray(value) ? value[0] : value;
}

function checkTime(timestamp: string): void {
  const seconds = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : NaN;
  const now = Math.floor(Date.now() / 1_000);
  if (seconds > now + toleranceSeconds) throw new WebhookVerificationError('timestamp_in_the_future');
  if (!(seconds >= now - toleranceSeconds)) throw new WebhookVerificationError('timestamp_too_old');
}

function importSecret(secret: string) {
  const bytes = secret.startsWith('whsec_') ? fromBase64(secret.slice('whsec_'.length)) : undefined;
  if (bytes === undefined || bytes.length === 0) throw new WebhookVerificationError('bad_secret');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
