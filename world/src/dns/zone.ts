/** What a name server can do wrong for a name; without one it answers as it should. */
export type ZoneBehaviour =
  | 'servfail'
  | 'refused'
  | 'notimp'
  | 'formerr'
  /** No answer over UDP; TCP is closed without one. */
  | 'silent'
  /** The first query of each question is lost, the next is answered. */
  | 'drops_first'
  /** UDP answers always say "truncated"; TCP serves. */
  | 'truncate'
  /** UDP answers always say "truncated"; TCP is closed without an answer. */
  | 'truncate_without_tcp'
  /** The only answer carries another id than the query. */
  | 'wrong_id'
  /** The only answer is to another question. */
  | 'wrong_question'
  /** A forged answer with a wrong id comes first, the true one follows. */
  | 'forged_first'
  /** Bytes that are no DNS message, under the right id. */
  | 'garbage'
  /** The true answer, `slowMs` late. */
  | 'slow';

export type RecordKind = 'MX' | 'A' | 'AAAA' | 'TXT' | 'PTR' | 'CNAME';

/** The records of one name, and how the server behaves when asked for them. */
export type Zone = {
  /** Preference and exchange. The exchange goes on the wire as it is written, however odd; '.' is the null MX. */
  mx?: [number, string][];
  a?: string[];
  aaaa?: string[];
  cname?: string;
  txt?: string[];
  ptr?: string[];
  /** A set of addresses for each A query in turn, over and over: DNS rebinding. Wins over `a`. */
  aInTurn?: string[][];
  /** Seconds; 300 unless said. */
  ttl?: number;
  /** Life of a negative answer in seconds; 60 unless said. */
  soaMinimum?: number;
  behaviour?: ZoneBehaviour;
  /** Wins over `behaviour` for that type. */
  behaviourOf?: Partial<Record<RecordKind, ZoneBehaviour>>;
  /** For `slow`; 1000 unless said. */
  slowMs?: number;
};
