import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The operator's token, as the setting has it; where there is none, nothing matches. */
export type AdminToken = {
  isSet: boolean;
  /** Takes as long for a wrong token as for the right one, whatever its length. */
  matches(presented: string): boolean;
  /**
   * Ties a session to the token it was opened with: another token, another mark. It is keyed with the id of the
   * session, which the store does not know, so that a stored mark does not help to guess a weak token.
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

/** Digests have one length, which `timingSafeEqual` requires; comparing tokens themselves would reveal their length. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
