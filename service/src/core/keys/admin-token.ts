import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The operator's token from the settings; without one, nothing matches. */
export type AdminToken = {
  isSet: boolean;
  /** Compares in constant time, for any length. */
  matches(presented: string): boolean;
  /**
   * Returns a mark that ties a session to its token. It is keyed with the session id, which the store does not know. So
   * a stored mark does not help to guess a weak token.
   */
  markFor(sessionId: string): string | undefined;
};

export function createAdminToken(token: string | undefined): AdminToken {
  if (token === undefined) return { isSet: false, matches: () => false, markFor: () => undefined };
  const expected = digestOf(token);
  return {
    isSet: true,
    matches: (presented) => timingSafeEqual(digestOf(presented), expected),
    markFor: (sessionId) => createHmac('sha256', sessionId).update(expected).digest('hex'),
  };
}

/** Hashes both: digests have the equal length that `timingSafeEqual` requires, and hide the token's length. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
