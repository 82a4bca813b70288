/**
 * Reads one message from a server as the answer to one question. The caller has matched the
 * server's address and port and the message id; here the question is matched and the message judged.
 */
import { decode, encode } from 'dns-packet';
import type { DecodedPacket } from 'dns-packet';
import { followAliases } from './follow-aliases.ts';
import type { LookupFailure } from './lookup.ts';
import type { DnsAnswer, DnsQuestion } from './question.ts';

export type Reading =
  /** Not an answer to this question: whoever sent it, the right answer may still come. */
  | { kind: 'foreign' }
  /** Carries the right id and cannot be parsed. */
  | { kind: 'unreadable' }
  | { kind: 'truncated' }
  /** FORMERR: the server may not know EDNS (RFC 6891 section 7). */
  | { kind: 'format_error' }
  /** The server answers that it has no answer. */
  | { kind: 'declined'; failure: LookupFailure }
  | { kind: 'answered'; answer: DnsAnswer };

const NOERROR = 0;
const FORMERR = 1;
const SERVFAIL = 2;
const NXDOMAIN = 3;
const REFUSED = 5;

/** Longest life of "there is nothing" where no SOA says how long that holds (RFC 2308 section 5). */
const NEGATIVE_TTL_WITHOUT_SOA_S = 30;

const HEADER_BYTES = 12;
const RESPONSE_AND_TRUNCATED = 0x8200;

export function readAnswer(message: Buffer, question: DnsQuestion): Reading {
  const packet = decoded(message);
  if (packet === undefined)
    return isCutShort(message, question) ? { kind: 'truncated' } : { kind: 'unreadable' };
  if (packet.type !== 'response' || opcode(packet) !== 0) return { kind: 'foreign' };
  const code = rcode(packet);
  if (!repeats(packet, question, code)) return { kind: 'foreign' };
  switch (code) {
    case NOERROR:
    case NXDOMAIN:
      return readConclusive(packet, question, code === NXDOMAIN);
    case FORMERR:
      return { kind: 'format_error' };
    case SERVFAIL:
      return { kind: 'declined', failure: 'servfail' };
    case REFUSED:
      return { kind: 'declined', failure: 'refused' };
  }
  return { kind: 'declined', failure: 'other_rcode' };
}

function readConclusive(packet: DecodedPacket, question: DnsQuestion, noSuchName: boolean): Reading {
  const end = followAliases(packet.answers ?? [], question);
  if (packet.flag_tc && !(sufficesInPart(question) && end.kind === 'records')) return { kind: 'truncated' };
  switch (end.kind) {
    case 'endless':
      return { kind: 'declined', failure: 'malformed' };
    case 'records':
      return {
        kind: 'answered',
        answer: { lookup: { kind: 'found', records: end.records }, ttlS: end.ttlS },
      };
    case 'nothing': {
      const lookup = { kind: noSuchName ? 'no_such_name' : 'no_data' } as const;
      return { kind: 'answered', answer: { lookup, ttlS: Math.min(end.ttlS, negativeTtlS(packet)) } };
    }
  }
}

/**
 * A truncated set of addresses is used as far as it came: a handful of them is all we ever dial,
 * and a mail host with a thousand addresses does not double the number of queries it costs us.
 * A truncated set of MX is never used: the preferred one may be in the part that was cut off.
 */
function sufficesInPart(question: DnsQuestion): boolean {
  return question.type === 'A' || question.type === 'AAAA';
}

function decoded(message: Buffer): DecodedPacket | undefined {
  try {
    return decode(message);
  } catch {
    // The decoder throws on anything it cannot read, and what it cannot read is the server's doing.
    return undefined;
  }
}

/** Some servers cut a long answer in the middle of a record; header and question must be whole all the same. */
function isCutShort(message: Buffer, question: DnsQuestion): boolean {
  if (
    message.length < HEADER_BYTES ||
    (message.readUInt16BE(2) & RESPONSE_AND_TRUNCATED) !== RESPONSE_AND_TRUNCATED
  ) {
    return false;
  }
  const asked = encode({ questions: [{ ...question, class: 'IN' }] }).subarray(HEADER_BYTES);
  const repeated = message.subarray(HEADER_BYTES, HEADER_BYTES + asked.length);
  return repeated.toString('latin1').toLowerCase() === asked.toString('latin1').toLowerCase();
}

function opcode(packet: DecodedPacket): number {
  return ((packet.flags ?? 0) >> 11) & 0xf;
}

/** The whole response code: four bits of the header and eight of the OPT record (RFC 6891 section 6.1.3). */
function rcode(packet: DecodedPacket): number {
  const opt = packet.additionals?.find((record) => record.type === 'OPT');
  return ((opt?.extendedRcode ?? 0) << 4) | ((packet.flags ?? 0) & 0xf);
}

/** The question must come back word for word, but for case (RFC 5452 section 9.1). */
function repeats(packet: DecodedPacket, question: DnsQuestion, code: number): boolean {
  const [asked, ...more] = packet.questions ?? [];
  // A server that could not read our query cannot repeat its question.
  if (asked === undefined) return code === FORMERR;
  return (
    more.length === 0 &&
    asked.name.toLowerCase() === question.name.toLowerCase() &&
    asked.type === question.type &&
    asked.class === 'IN'
  );
}

/** How long "nothing there" holds: the lesser of the SOA's own TTL and its MINIMUM (RFC 2308 section 5). */
function negativeTtlS(packet: DecodedPacket): number {
  const soa = packet.authorities?.find((record) => record.type === 'SOA');
  if (soa === undefined) return NEGATIVE_TTL_WITHOUT_SOA_S;
  return Math.min(soa.ttl ?? 0, soa.data.minimum ?? 0);
}
