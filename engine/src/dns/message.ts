/** DNS messages: the numbers of the wire (RFC 1035 section 3.2, RFC 3596, RFC 6891), queries written, answers read. */
import type { QuestionType, DnsQuestion } from './lookup.ts';

/** Every message begins with a header. */
export const HEADER_BYTES = 12;

/** Longest part of a name between its dots, in bytes. */
const LONGEST_LABEL = 63;

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

/** Header fields: recursion desired, and one question; an OPT record may stand beside it. */
const RECURSION_DESIRED = 0x0100;
const QUESTIONS = 1;

/** The type and the class, which follow a name. */
const TYPE_AND_CLASS_BYTES = 4;

/**
 * EDNS0 (RFC 6891 section 6.1.2) with a buffer of 1,232 bytes, which fits the smallest IPv6 path without fragments.
 * Fragments are both lost and forged more easily than whole datagrams. The bytes: the root, OPT, the size, and no
 * option or flag.
 */
const edns = Buffer.from([0, 0, OPT, 1_232 >> 8, 1_232 & 0xff, 0, 0, 0, 0, 0, 0]);

/**
 * Writes a query (RFC 1035 section 4.1) with the name as it is. A name too long for the wire was never let in, so it
 * is a defect and throws.
 */
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

/** Writes each label behind its length, which takes the place of the dot before it, and the root, whose length is 0. */
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

export type DnsMessage = {
  flags: number;
  questions: readonly { name: string; type: number; class: number }[];
  answers: readonly DnsRecord[];
  authorities: readonly DnsRecord[];
  additionals: readonly DnsRecord[];
};

/** A resource record, and the place of its data in the message. Names of owners are in lower case. */
export type DnsRecord = {
  message: Buffer;
  owner: string;
  type: number;
  class: number;
  ttlS: number;
  dataAt: number;
  dataEnd: number;
};

/** A name with the length of each label, the root's included (RFC 1035 section 3.1). */
const MOST_NAME_BYTES = 255;
/** A name has no more labels, so it needs no more pointers: a long row of them would be followed for every record. */
const MOST_POINTERS = 127;

/** A length with the two top bits set is a pointer to the rest of the name (RFC 1035 section 4.1.4). */
const POINTER = 0xc0;
const POINTER_BITS = 0x3fff;

/** The owner's name in most records: a pointer to the name of the first question. */
const POINTER_TO_QUESTION = (POINTER << 8) | HEADER_BYTES;

/** How far a message is read, and the name of its first question. */
type Cursor = { message: Buffer; at: number; asked: string | undefined };

/**
 * Reads a DNS message (RFC 1035 section 4.1): its flags, its questions, and its records with their owners. The data
 * of a record are read on demand: most messages need one record.
 *
 * A message comes from a stranger, so everything in it is read within its bounds and ends. A name is no longer than
 * a name may be, a pointer leads to an earlier place, a record's data lie within the record. Any breach throws, and
 * the whole message is unreadable then.
 */
export function readMessage(message: Buffer): DnsMessage {
  const cursor: Cursor = { message, at: HEADER_BYTES, asked: undefined };
  return {
    flags: uint16(message, 2),
    questions: readSection(cursor, uint16(message, 4), readQuestion),
    answers: readSection(cursor, uint16(message, 6), readRecord),
    authorities: readSection(cursor, uint16(message, 8), readRecord),
    additionals: readSection(cursor, uint16(message, 10), readRecord),
  };
}

function readSection<Entry>(
  cursor: Cursor,
  count: number,
  readEntry: (cursor: Cursor) => Entry,
): readonly Entry[] {
  if (count === 0) return nothing;
  const entries = [readEntry(cursor)];
  while (entries.length < count) entries.push(readEntry(cursor));
  return entries;
}

const nothing: readonly never[] = [];

function readQuestion(cursor: Cursor): DnsMessage['questions'][number] {
  const { message, at } = cursor;
  const end = nameEnd(message, at);
  const name = nameAt(message, at).toLowerCase();
  cursor.asked ??= name;
  cursor.at = end + 4;
  return { name, type: uint16(message, end), class: uint16(message, end + 2) };
}

function readRecord(cursor: Cursor): DnsRecord {
  const { message, at } = cursor;
  const end = nameEnd(message, at);
  const dataAt = end + 10;
  const dataEnd = dataAt + uint16(message, end + 8);
  if (dataEnd > message.length) throw new RangeError('a record that is cut off');
  cursor.at = dataEnd;
  return {
    message,
    owner: ownerAt(message, at, cursor.asked),
    type: uint16(message, end),
    class: uint16(message, end + 2),
    ttlS: message.readUInt32BE(end + 4),
    dataAt,
    dataEnd,
  };
}

/** Reads a number of one byte. Node's own readers check more, and took half the cost of a message. */
function uint8(message: Buffer, at: number): number {
  const byte = message[at];
  if (byte === undefined) throw new RangeError('a message that is cut off');
  return byte;
}

function uint16(message: Buffer, at: number): number {
  return (uint8(message, at) << 8) | uint8(message, at + 1);
}

/** Returns the owner's name; the name of the question is not read again. */
function ownerAt(message: Buffer, at: number, asked: string | undefined): string {
  if (asked !== undefined && uint16(message, at) === POINTER_TO_QUESTION) return asked;
  return nameAt(message, at).toLowerCase();
}

/** Returns the place after a name: behind its root, or behind its pointer. */
function nameEnd(message: Buffer, start: number): number {
  let at = start;
  for (let length = uint8(message, at); length > 0; length = uint8(message, at)) {
    if (length >= POINTER) return at + 2;
    at += 1 + length;
  }
  return at + 1;
}

/** Returns a name as text, without the dot at its end; the root is a dot alone. */
function nameAt(message: Buffer, start: number): string {
  let name = '';
  let at = start;
  let before = start;
  let pointers = 0;
  let bytes = 1;
  for (let length = uint8(message, at); length > 0; length = uint8(message, at)) {
    if (length >= POINTER) {
      at = uint16(message, at) & POINTER_BITS;
      // A pointer may only lead back: a name that points round in a circle would have no end.
      if (at >= before) throw new RangeError('a name that points ahead');
      if ((pointers += 1) > MOST_POINTERS) throw new RangeError('a name of pointers');
      before = at;
      continue;
    }
    bytes += 1 + length;
    if (length > LONGEST_LABEL || bytes > MOST_NAME_BYTES || at + length >= message.length)
      throw new RangeError('a name that is too long');
    const label = message.toString('latin1', at + 1, at + 1 + length);
    name = name === '' ? label : `${name}.${label}`;
    at += 1 + length;
  }
  return name === '' ? '.' : name;
}

/** Reads the name in the data of a record, `offset` bytes behind their beginning. */
export function nameIn({ message, dataAt, dataEnd }: DnsRecord, offset = 0): string {
  if (nameEnd(message, dataAt + offset) > dataEnd)
    throw new RangeError('a name that is longer than its record');
  return nameAt(message, dataAt + offset);
}

/** Reads a number of two or four bytes in the data of a record. */
export function numberIn(record: DnsRecord, offset: number, bytes: 2 | 4): number {
  const { message, dataAt, dataEnd } = record;
  if (offset < 0 || dataAt + offset + bytes > dataEnd) throw new RangeError('a record that is too short');
  return message.readUIntBE(dataAt + offset, bytes);
}

/** Reads the strings of a TXT record, each behind its length, as one (RFC 7208 section 3.3). */
export function textIn({ message, dataAt, dataEnd }: DnsRecord): string {
  const strings: Buffer[] = [];
  let at = dataAt;
  while (at < dataEnd) {
    const end = at + 1 + uint8(message, at);
    if (end > dataEnd) throw new RangeError('a text that is longer than its record');
    strings.push(message.subarray(at + 1, end));
    at = end;
  }
  return Buffer.concat(strings).toString('utf8');
}

export function ipv4In(record: DnsRecord): string {
  const { message, dataAt } = record;
  checkSize(record, 4);
  return `${message[dataAt]}.${message[dataAt + 1]}.${message[dataAt + 2]}.${message[dataAt + 3]}`;
}

/** Reads an IPv6 address; the longest row of zeros is left out (RFC 5952 section 4). */
export function ipv6In(record: DnsRecord): string {
  checkSize(record, 16);
  const groups = Array.from({ length: 8 }, (_, index) => numberIn(record, 2 * index, 2).toString(16));
  let longest = { from: 0, length: 1 };
  for (let from = 0; from < groups.length; from += 1) {
    const end = groups.findIndex((group, index) => index >= from && group !== '0');
    const length = (end < 0 ? groups.length : end) - from;
    if (length > longest.length) longest = { from, length };
  }
  if (longest.length === 1) return groups.join(':');
  const after = groups.slice(longest.from + longest.length);
  return `${groups.slice(0, longest.from).join(':')}::${after.join(':')}`;
}

function checkSize({ dataAt, dataEnd }: DnsRecord, bytes: number): void {
  if (dataEnd - dataAt !== bytes) throw new RangeError('an address of another length');
}
