/** Writes a query (RFC 1035 section 4.1) with recursion desired. */
import { HEADER_BYTES, IN, LONGEST_LABEL, OPT, typeNumbers } from './numbers.ts';
import type { DnsQuestion } from './question.ts';

/** In the header: recursion desired, one question and nothing else, or an OPT record beside it. */
const RECURSION_DESIRED = 0x0100;
const QUESTIONS = 1;

/** What follows a name: the type and the class. */
const TYPE_AND_CLASS_BYTES = 4;

/**
 * EDNS0 (RFC 6891 section 6.1.2) with a buffer of 1,232 bytes: what fits the smallest IPv6 path without fragments, and
 * fragments are both lost and forged more easily than whole datagrams. The root, OPT, the size, and no option or flag.
 */
const edns = Buffer.from([0, 0, OPT, 1_232 >> 8, 1_232 & 0xff, 0, 0, 0, 0, 0, 0]);

/** Names are written as they are. One that the wire has no room for was never let in, so it is a defect and throws. */
export function encodeQuery(query: { id: number; question: DnsQuestion; withEdns: boolean }): Buffer {
  const { question, withEdns } = query;
  // A name on the wire has the length of its first label before it and the root behind it.
  const nameEnd = HEADER_BYTES + question.name.length + 2;
  const end = nameEnd + TYPE_AND_CLASS_BYTES;
  const message = Buffer.allocUnsafe(withEdns ? end + edns.length : end);
  message.writeUInt16BE(query.id, 0);
  message.writeUInt16BE(RECURSION_DESIRED, 2);
  message.writeUInt16BE(QUESTIONS, 4);
  message.writeUInt32BE(0, 6);
  message.writeUInt16BE(withEdns ? 1 : 0, 10);
  writeName(message, question.name);
  message.writeUInt16BE(typeNumbers[question.type], nameEnd);
  message.writeUInt16BE(IN, nameEnd + 2);
  if (withEdns) edns.copy(message, end);
  return message;
}

/** Each label behind its length, which stands where the dot before it does, and the root, whose length is 0. */
function writeName(message: Buffer, name: string): void {
  message.write(name, HEADER_BYTES + 1, 'latin1');
  for (let start = 0; start <= name.length;) {
    const dot = name.indexOf('.', start);
    const end = dot < 0 ? name.length : dot;
    if (end === start || end - start > LONGEST_LABEL) throw new Error(`no DNS name: ${name}`);
    message[HEADER_BYTES + start] = end - start;
    start = end + 1;
  }
  message[HEADER_BYTES + 1 + name.length] = 0;
}
