import { addressesTried } from '../../core/http/outgoing/open-connection.ts';

/** Limits of webhooks. `docs/limits.md` is written from this table (`npm run docs`). */
export const webhookLimitTable = {
  endpoints: { value: 10, meaning: 'endpoints of an account' },
  urlCharacters: { value: 2_000, meaning: 'URL of an endpoint' },
  attemptMs: { value: 15_000, meaning: 'one attempt: look-up, connection, TLS and answer together' },
  attempts: { value: 10, meaning: 'attempts of a delivery' },
  testAttempts: { value: 3, meaning: 'attempts of a test message' },
  responseBytes: { value: 1_000, meaning: 'part of an answer that is read and kept' },
  addressesTried: { value: addressesTried, meaning: 'addresses of an endpoint dialled in one attempt' },
  leaseMs: { value: 60_000, meaning: 'time for which a process owns a delivery' },
  accountsAtOnce: {
    value: 512,
    meaning: 'accounts with a delivery under way in one process; each has a place of its own',
  },
  accountsAtOnceToHost: { value: 128, meaning: 'of these, to one receiving host' },
  sentAtOnce: { value: 64, meaning: 'further deliveries under way at once in one process' },
  sentAtOnceToHost: { value: 32, meaning: 'of these, to one receiving host' },
  sentAtOnceOfAccount: { value: 16, meaning: 'deliveries under way at once of one account' },
  sentAtOnceToEndpoint: { value: 8, meaning: 'of these, to one endpoint' },
  hangingAtOnce: {
    value: 64,
    meaning:
      'deliveries under way to endpoints whose last attempt timed out, one for each account, beside the above',
  },
  testEveryMs: { value: 60_000, meaning: 'time between two test messages of an account, on average' },
  againEveryMs: { value: 6_000, meaning: 'time between two repeated messages of an account, on average' },
  sendsAheadMs: {
    value: 600_000,
    meaning:
      'how far an account may be ahead of that: ten test messages, or a hundred repeated ones, at once',
  },
  previousSecretMs: {
    value: 86_400_000,
    meaning: 'time for which messages are also signed with a rotated secret',
  },
  lowCreditsAgainMs: {
    value: 3_600_000,
    meaning: 'time between two `credits.low` to an endpoint, unless credits were granted meanwhile',
  },
  retryAfterMs: { value: 86_400_000, meaning: 'longest wait that an endpoint can ask for' },
  keptMs: { value: 15 * 86_400_000, meaning: 'life of a delivery after its end' },
  testKeptMs: { value: 86_400_000, meaning: 'life of a test message after its end' },
} as const;

type WebhookLimits = { readonly [Name in keyof typeof webhookLimitTable]: number };

export const webhookLimits = Object.fromEntries(
  Object.entries(webhookLimitTable).map(([name, { value }]) => [name, value]),
  // Every name of the table has a number.
) as WebhookLimits;
