/** Writes a query (RFC 1035 section 4.1) with recursion desired. */
import type { DnsQuestion, QuestionType } from './question.ts';

const typeNumbers = { A: 1, PTR: 12, MX: 15, TXT: 16, AAAA: 28 } as const satisfies Record<
  QuestionType,
  number
>;

const IN = 1;
const RECURSION_DESIRED = 0x0100;
const HEADER_BYTES = 12;
const LONGEST_LABEL = 63;

/**
 * EDNS0 (RFC 6891 section 6.1.2) with a buffer of 1,232 bytes: what fits the smallest IPv6 path without fragments, and
 * fragments are both lost and forged more easily than whole datagrams. The root, OPT, the size, and no option or flag.
 */
const edns = Buffer.from([0, 0, 41, 1_232 >> 8, 1_232 & 0xff, 0, 0, 0, 0, 0, 0]);

/** Names are written as they are. One that the wire has no room for was never let in, so it is a defect and throws. */
export function encodeQuery(query: { id: number; question: DnsQuestion; withEdns: boolean }): Buffer {
  const { name, type } = query.question;
  // Each label gains a byte for its length, which the dots between them had, and the root ends them.
  const nameBytes = name.length + 2;
  const questionEnd = HEADER_BYTES + nameBytes + 4;
  const message = Buffer.alloc(questionEnd + (query.withEdns ? edns.length : 0));
  message.writeUInt16BE(query.id, 0);
  message.writeUInt16BE(RECURSION_DESIRED, 2);
  message.writeUInt16BE(1, 4);
  message.write(wireName(name), HEADER_BYTES, 'latin1');
  message.writeUInt16BE(typeNumbers[type], questionEnd - 4);
  message.writeUInt16BE(IN, questionEnd - 2);
  if (!query.withEdns) return message;
  message.writeUInt16BE(1, 10);
  edns.copy(message, questionEnd);
  return message;
}

/** Each label behind its length; the root, whose length is 0, is there already. */
function wireName(name: string): string {
  let wire = '';
  for (const label of name.split('.')) {
    if (label.length === 0 || label.length > LONGEST_LABEL) throw new Error(`no DNS name: ${name}`);
    wire += String.fromCharCode(label.length) + label;
  }
  return wire;
}
