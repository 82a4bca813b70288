import { createRequire } from 'node:module';

/** A message as its receiver sees it. */
export type ReceivedMessage = { headers: Record<string, string>; body: string };

type Judge = { verify(body: string, headers: Record<string, string>): unknown };

/** The reference implementation of Standard Webhooks, which nobody here wrote. */
const { Webhook } = createRequire(import.meta.url)('standardwebhooks') as {
  Webhook: new (secret: string) => Judge;
};

/** Throws where the signature is not by this secret, or the time of the message is not now. */
export function judgeSignature({ headers, body }: ReceivedMessage, secret: string): unknown {
  return new Webhook(secret).verify(body, headers);
}
