/** Numbers of the wire (RFC 1035 section 3.2, RFC 3596, RFC 6891). */
import type { QuestionType } from './question.ts';

/** Every message begins with a header. */
export const HEADER_BYTES = 12;

/** One part of a name, between its dots. */
export const LONGEST_LABEL = 63;

/** The types of records that are asked for. */
export const typeNumbers = { A: 1, PTR: 12, MX: 15, TXT: 16, AAAA: 28 } as const satisfies Record<
  QuestionType,
  number
>;

/** Types that come with an answer. */
export const CNAME = 5;
export const SOA = 6;
export const OPT = 41;

/** The class of all that we ask for. */
export const IN = 1;
