/** What can go wrong with STARTTLS at a mail host. */
export const tlsFaults = [
  /** 454 to STARTTLS. */
  'refused',
  /** Random bytes where the server's hello should be. */
  'garbage',
  /** FIN after the go-ahead. */
  'close',
  /** RST after the go-ahead. */
  'reset',
  /** Never answers the client's hello. */
  'stall_before_hello',
  /** Stops in the middle of its first flight. */
  'stall_inside_hello',
  /** TLS 1.2: never sends its Finished. */
  'stall_before_finished',
  /** The handshake succeeds, then nothing is answered. */
  'stall_after_handshake',
  /** A byte of the first flight is flipped. */
  'bad_record',
  /** A certificate chain of 200 KB. */
  'huge_chain',
  /** TLS 1.1 at most. */
  'old_version',
  /** A plaintext reply in the same segment as the go-ahead, for a client to take for an answer inside TLS. */
  'injected_reply',
] as const;

export type TlsFault = (typeof tlsFaults)[number];
