/** Bounds of the messages between a prober outside and the centre. */
export const messageLimits = {
  egressAddresses: 256,
  learned: 200,
  /** The longest that a lease request waits. */
  waitMs: 30_000,
  mailHosts: 64,
  addresses: 64,
  replies: 16,
  replyCharacters: 2_048,
  /** Rests of its own egress addresses that a prober tells of, and that it is asked to end. */
  rests: 200,
  restCharacters: 200,
  /** A whole message, either way. */
  bytes: 4_194_304,
} as const;
