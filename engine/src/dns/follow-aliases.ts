/**
 * Follows the CNAMEs inside one answer (RFC 1034 section 3.6.2) to the records that were asked
 * for. Nothing is asked again: a recursive resolver sends the whole chain, and what it did not
 * send is not there.
 */
import { withItem } from '../with-item.ts';
import type { DnsQuestion, QuestionType, WireRecord } from './question.ts';
import { CNAME, IN, typeNumbers } from './numbers.ts';
import { ipv4In, ipv6In, nameIn, numberIn, textIn, type DnsRecord } from './read-message.ts';

type ChainEnd =
  | { kind: 'records'; records: WireRecord[]; ttlS: number }
  /** The chain ends at a name without such a record; `ttlS` is the life of the chain alone. */
  | { kind: 'nothing'; ttlS: number }
  /** A loop, or more links than any honest zone has. */
  | { kind: 'endless' };

const MAX_LINKS = 8;

/** A TTL with the top bit set counts as zero (RFC 2181 section 8). */
const MAX_TTL_S = 2 ** 31 - 1;

export function followAliases(answers: readonly DnsRecord[], question: DnsQuestion): ChainEnd {
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

/** The last one, where a name has several. */
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
    // Answers are kept: a list that was pushed to keeps room for sixteen more.
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
