/** Limits of the messages between an outside prober and the centre. */
export const messageLimits = {
  egressAddresses: 256,
  learned: 200,
  /** Longest wait of a lease request. */
  waitMs: 30_000,
  mailHosts: 64,
  addresses: 64,
  replies: 16,
  replyCharacters: 2_048,
  /** Rests of its own egress addresses that a prober reports, and that it is asked to end. */
  rests: 200,
  restCharacters: 200,
  /** A whole message, in either direction. */
  bytes: 4_194_304,
} as const;
