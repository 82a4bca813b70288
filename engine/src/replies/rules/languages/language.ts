/** Phrases of plain words (`normaliseText`), each with the reply that taught it. */
export type Sayings = Readonly<Record<string, string>>;

/** The phrases of one language for the meanings that the rules know. */
export type Language = {
  /** No such mailbox: asked for every class, and a soft bounce with a 4xx. */
  unknown: Sayings;
  full: Sayings;
  disabled: Sayings;
  /** Try again later. */
  patience: Sayings;
  /** Our address, our server, our sender: outranks all words about a mailbox beside it. */
  aboutUs: Sayings;
};
