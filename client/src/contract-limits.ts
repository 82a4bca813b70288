/** What a request may hold at most. Characters are Unicode code points. */
export const contractLimits = {
  /** Characters of one address. */
  emailCharacters: 254,
  /** Addresses of one bulk task. */
  bulkEmails: 100,
  /** Characters of a bulk task's name. */
  nameCharacters: 25,
  /** Bytes of a request body. */
  bodyBytes: 262_144,
  /** Characters of an `Idempotency-Key`. */
  idempotencyKeyCharacters: 255,
} as const;
