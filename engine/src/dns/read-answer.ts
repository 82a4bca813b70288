/**
 * Reads one message from a server as the answer to one question. The caller has matched the
 * server's address and port and the message id; here the question is matched and the message judged.
 */
import { withItem } from '../with-item.ts';
import type { LookupFailure, DnsAnswer, DnsQuestion, QuestionType, WireRecord } from './lookup.ts';
import {
  encodeQuery,
  HEADER_BYTES,
  IN,
  OPT,
  SOA,
  typeNumbers,
  numberIn,
  readMessage,
  CNAME,
  ipv4In,
  ipv6In,
  nameIn,
  textIn,
  type DnsMessage,
  type DnsRecord,
} from './message.ts';

export type Reading =
  /** Not an answer to this question, whatever its sender: the right answer may still come. */
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

/** Longest life of "there is nothing" if no SOA says how long that holds (RFC 2308 section 5). */
const NEGATIVE_TTL_WITHOUT_SOA_S = 30;

/** Flags of the header (RFC 1035 section 4.1.1). */
const RESPONSE = 0x8000;
const OPCODE = 0x7800;
const TRUNCATED = 0x0200;

export function readAnswer(message: Buffer, question: DnsQuestion): Reading {
  try {
    return readSound(readMessage(message), question);
  } catch {
    // Reading throws if the message is malformed, and that is the server's doing.
    return isCutShort(message, question) ? { kind: 'truncated' } : { kind: 'unreadable' };
  }
}

function readSound(message: DnsMessage, question: DnsQuestion): Reading {
  if ((message.flags & RESPONSE) === 0 || (message.flags & OPCODE) !== 0) return { kind: 'foreign' };
  const code = rcode(message);
  if (!repeats(message, question, code)) return { kind: 'foreign' };
  switch (code) {
    case NOERROR:
    case NXDOMAIN:
      return readConclusive(message, question, code === NXDOMAIN);
    case FORMERR:
      return { kind: 'format_error' };
    case SERVFAIL:
      return { kind: 'declined', failure: 'servfail' };
    case REFUSED:
      return { kind: 'declined', failure: 'refused' };
  }
  return { kind: 'declined', failure: 'other_rcode' };
}

function readConclusive(message: DnsMessage, question: DnsQuestion, noSuchName: boolean): Reading {
  const end = followAliases(message.answers, question);
  if ((message.flags & TRUNCATED) !== 0 && !(sufficesInPart(question) && end.kind === 'records'))
    return { kind: 'truncated' };
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
      return { kind: 'answered', answer: { lookup, ttlS: Math.min(end.ttlS, negativeTtlS(message)) } };
    }
  }
}

/**
 * Whether part of an answer suffices. A truncated set of addresses is used as far as it came: we dial only a handful
 * of them. So a mail host with a thousand addresses does not double the number of queries it costs us. A truncated
 * set of MX is never used: the preferred one may be in the part that was cut off.
 */
function sufficesInPart(question: DnsQuestion): boolean {
  return question.type === 'A' || question.type === 'AAAA';
}

/** Some servers cut a long answer in the middle of a record; header and question must still be whole. */
function isCutShort(message: Buffer, question: DnsQuestion): boolean {
  const cut = RESPONSE | TRUNCATED;
  if (message.length < HEADER_BYTES || (message.readUInt16BE(2) & cut) !== cut) return false;
  const asked = encodeQuery({ id: 0, question, withEdns: false }).toString('latin1', HEADER_BYTES);
  const repeated = message.toString('latin1', HEADER_BYTES, HEADER_BYTES + asked.length);
  return repeated.toLowerCase() === asked.toLowerCase();
}

/** Returns the whole response code: four bits of the header and eight of the OPT record (RFC 6891 section 6.1.3). */
function rcode({ flags, additionals }: DnsMessage): number {
  const opt = additionals.find(isOpt);
  return (((opt?.ttlS ?? 0) >>> 24) << 4) | (flags & 0xf);
}

const isOpt = ({ type }: DnsRecord) => type === OPT;
const isSoa = ({ type }: DnsRecord) => type === SOA;

/** Whether the question came back word for word, but for case (RFC 5452 section 9.1). */
function repeats({ questions }: DnsMessage, question: DnsQuestion, code: number): boolean {
  const asked = questions[0];
  // A server that could not read our query cannot repeat its question.
  if (asked === undefined) return code === FORMERR;
  return (
    questions.length === 1 &&
    asked.name === question.name.toLowerCase() &&
    asked.type === typeNumbers[question.type] &&
    asked.class === IN
  );
}

/** Returns how long "nothing there" holds: the lesser of the SOA's own TTL and its MINIMUM (RFC 2308 section 5). */
function negativeTtlS({ authorities }: DnsMessage): number {
  const soa = authorities.find(isSoa);
  if (soa === undefined) return NEGATIVE_TTL_WITHOUT_SOA_S;
  // It is the last field of the record.
  return Math.min(soa.ttlS, numberIn(soa, soa.dataEnd - soa.dataAt - 4, 4));
}

type ChainEnd =
  | { kind: 'records'; records: WireRecord[]; ttlS: number }
  /** The chain ends at a name without such a record; `ttlS` is the life of the chain alone. */
  | { kind: 'nothing'; ttlS: number }
  /** A loop, or more links than any honest zone has. */
  | { kind: 'endless' };

const MAX_LINKS = 8;

/** A TTL with the top bit set counts as zero (RFC 2181 section 8). */
const MAX_TTL_S = 2 ** 31 - 1;

/**
 * Follows the CNAMEs inside one answer (RFC 1034 section 3.6.2) to the records that were asked for. Nothing is asked
 * again: a recursive resolver sends the whole chain, and a record it did not send is not there.
 */
function followAliases(answers: readonly DnsRecord[], question: DnsQuestion): ChainEnd {
  let owner = question.name.toLowerCase();
  let ttlS = MAX_TTL_S;
  for (let followed = 0; followed <= MAX_LINKS; followed += 1) {
    const link = aliasOf(answers, owner);
    if (link === undefined) return recordsOf(answers, { owner, type: question.type }, ttlS);
    owner = nameIn(link).toLowerCase();
    ttlS = Math.min(ttlS, soundTtlS(link.ttlS));
  }
  return { kind: 'endless' };
}

/** Returns the alias of a name; of several, the last. */
function aliasOf(answers: readonly DnsRecord[], owner: string): DnsRecord | undefined {
  for (let index = answers.length - 1; index >= 0; index -= 1) {
    const record = answers[index];
    if (record !== undefined && isOf(record, owner, CNAME)) return record;
  }
  return undefined;
}

function isOf(record: DnsRecord, owner: string, type: number): boolean {
  return record.type === type && record.class === IN && record.owner === owner;
}

function recordsOf(
  answers: readonly DnsRecord[],
  wanted: { owner: string; type: QuestionType },
  chainTtlS: number,
): ChainEnd {
  let records: WireRecord[] = [];
  let ttlS = chainTtlS;
  for (const answer of answers) {
    if (!isOf(answer, wanted.owner, typeNumbers[wanted.type])) continue;
    // Answers are kept in memory, and a list grown by `push` reserves room for sixteen more items.
    records = withItem(records, wireRecord(answer, wanted.type));
    ttlS = Math.min(ttlS, soundTtlS(answer.ttlS));
  }
  return records.length > 0 ? { kind: 'records', records, ttlS } : { kind: 'nothing', ttlS };
}

function wireRecord(record: DnsRecord, type: QuestionType): WireRecord {
  switch (type) {
    case 'MX':
      return { text: nameIn(record, 2), preference: numberIn(record, 0, 2) };
    case 'TXT':
      return { text: textIn(record), preference: 0 };
    case 'A':
      return { text: ipv4In(record), preference: 0 };
    case 'AAAA':
      return { text: ipv6In(record), preference: 0 };
    case 'PTR':
      return { text: nameIn(record), preference: 0 };
  }
}

function soundTtlS(ttl: number): number {
  return ttl > MAX_TTL_S ? 0 : ttl;
}
