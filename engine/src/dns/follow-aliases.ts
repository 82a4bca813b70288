/**
 * Follows the CNAMEs inside one answer (RFC 1034 section 3.6.2) to the records that were asked
 * for. Nothing is asked again: a recursive resolver sends the whole chain, and what it did not
 * send is not there.
 */
import type { Answer as ResourceRecord } from 'dns-packet';
import type { DnsQuestion, WireRecord } from './question.ts';

type ChainEnd =
  | { kind: 'records'; records: WireRecord[]; ttlS: number }
  /** The chain ends at a name without such a record; `ttlS` is the life of the chain alone. */
  | { kind: 'nothing'; ttlS: number }
  /** A loop, or more links than any honest zone has. */
  | { kind: 'endless' };

const MAX_LINKS = 8;

/** A TTL with the top bit set counts as zero (RFC 2181 section 8). */
const MAX_TTL_S = 2 ** 31 - 1;

export function followAliases(answers: ResourceRecord[], question: DnsQuestion): ChainEnd {
  const links = aliases(answers);
  let owner = question.name.toLowerCase();
  let ttlS = MAX_TTL_S;
  for (let followed = 0; followed <= MAX_LINKS; followed += 1) {
    const link = links.get(owner);
    if (link === undefined) return recordsOf(answers, { owner, type: question.type }, ttlS);
    owner = link.target;
    ttlS = Math.min(ttlS, link.ttlS);
  }
  return { kind: 'endless' };
}

function aliases(answers: ResourceRecord[]): Map<string, { target: string; ttlS: number }> {
  const links = new Map<string, { target: string; ttlS: number }>();
  for (const record of answers) {
    if (record.type !== 'CNAME' || record.class !== 'IN') continue;
    links.set(record.name.toLowerCase(), { target: record.data.toLowerCase(), ttlS: soundTtlS(record.ttl) });
  }
  return links;
}

function recordsOf(
  answers: ResourceRecord[],
  wanted: { owner: string; type: DnsQuestion['type'] },
  chainTtlS: number,
): ChainEnd {
  let records: WireRecord[] = [];
  let ttlS = chainTtlS;
  for (const answer of answers) {
    if (answer.type !== wanted.type || answer.name.toLowerCase() !== wanted.owner) continue;
    const record = wireRecord(answer);
    if (record === undefined) continue;
    // Answers are kept: a list that was pushed to keeps room for sixteen more.
    records = records.concat(record);
    ttlS = Math.min(ttlS, 'ttl' in answer ? soundTtlS(answer.ttl) : 0);
  }
  return records.length > 0 ? { kind: 'records', records, ttlS } : { kind: 'nothing', ttlS };
}

function wireRecord(answer: ResourceRecord): WireRecord | undefined {
  if (!('class' in answer) || answer.class !== 'IN') return undefined;
  if (answer.type === 'MX') return { text: answer.data.exchange, preference: answer.data.preference ?? 0 };
  if (answer.type === 'TXT') return { text: joined(answer.data), preference: 0 };
  if (answer.type === 'A' || answer.type === 'AAAA' || answer.type === 'PTR')
    return { text: answer.data, preference: 0 };
  return undefined;
}

/** The strings of one TXT record are read as one (RFC 7208 section 3.3). */
function joined(data: string | Buffer | (string | Buffer)[]): string {
  return [data].flat().join('');
}

function soundTtlS(ttl: number | undefined): number {
  return ttl === undefined || ttl > MAX_TTL_S ? 0 : ttl;
}
