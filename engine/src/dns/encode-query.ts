/** Writes a query (RFC 1035 section 4.1) with recursion desired. */
import { IN, LONGEST_LABEL, OPT, typeNumbers } from './numbers.ts';
import type { DnsQuestion } from './question.ts';

/** What follows the id: recursion desired, one question and nothing else, or an OPT record beside it. */
const headerWithoutEdns = '\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00';
const headerWithEdns = '\x01\x00\x00\x01\x00\x00\x00\x00\x00\x01';

/**
 * EDNS0 (RFC 6891 section 6.1.2) with a buffer of 1,232 bytes: what fits the smallest IPv6 path without fragments, and
 * fragments are both lost and forged more easily than whole datagrams. The root, OPT, the size, and no option or flag.
 */
const edns = `\x00${twoBytes(OPT)}${twoBytes(1_232)}\x00\x00\x00\x00\x00\x00`;

/** Names are written as they are. One that the wire has no room for was never let in, so it is a defect and throws. */
export function encodeQuery(query: { id: number; question: DnsQuestion; withEdns: boolean }): Buffer {
  const { id, question, withEdns } = query;
  const asked = encodeQuestion(question);
  const message = withEdns ? `${headerWithEdns}${asked}${edns}` : `${headerWithoutEdns}${asked}`;
  return Buffer.from(`${twoBytes(id)}${message}`, 'latin1');
}

/** As a query has it, and as its answer repeats it: a byte for each letter. */
export function encodeQuestion({ name, type }: DnsQuestion): string {
  return `${wireName(name)}${twoBytes(typeNumbers[type])}${twoBytes(IN)}`;
}

function twoBytes(value: number): string {
  return String.fromCharCode(value >> 8, value & 0xff);
}

/** Each label behind its length, and the root, whose length is 0. */
function wireName(name: string): string {
  let wire = '';
  for (const label of name.split('.')) {
    if (label.length === 0 || label.length > LONGEST_LABEL) throw new Error(`no DNS name: ${name}`);
    wire += String.fromCharCode(label.length) + label;
  }
  return `${wire}\x00`;
}
