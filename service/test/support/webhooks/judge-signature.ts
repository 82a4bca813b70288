import { Webhook } from 'standardwebhooks';

/** A message as its receiver sees it. */
export type ReceivedMessage = { headers: Record<string, string>; body: string };

/**
 * Verifies a signature by the reference implementation of Standard Webhooks, an independent one. Throws if the
 * signature is not by this secret, or the time of the message is not now.
 */
export function judgeSignature({ headers, body }: ReceivedMessage, secret: string): unknown {
  return new Webhook(secret).verify(body, headers);
}
