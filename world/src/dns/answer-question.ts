/**
 * What a well-behaved recursive resolver would answer from the zones of the world: records, with the
 * chain of aliases before them, or a negative answer with its SOA (RFC 2308).
 */
import type { Answer } from 'dns-packet';
import type { Zone } from './zone.ts';
import type { ZoneBook } from './zone-book.ts';

export type DnsAnswer = { rcode: Rcode; answers: Answer[]; authorities: Answer[] };

/** RFC 1035 section 4.1.1. */
export const rcodes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;
export type Rcode = keyof typeof rcodes;

/** A resolver gives up on longer chains; loops end here too. */
const longestAliasChain = 16;

/** Counts the A queries of a name, for zones that answer in turn. */
export type TurnOf = (name: string) => number;

export function answerQuestion(
  book: ZoneBook,
  question: { name: string; type: string },
  turnOf: TurnOf,
): DnsAnswer {
  const chain: Answer[] = [];
  let name = question.name.toLowerCase();
  for (let hops = 0; hops < longestAliasChain; hops += 1) {
    const zone = book.find(name);
    if (zone === undefined) {
      return negative(book.exists(name) ? 'NOERROR' : 'NXDOMAIN', { name, chain, zone: {} });
    }
    if (zone.cname === undefined || question.type === 'CNAME') {
      const records = recordsOf(zone, { name, type: question.type }, turnOf);
      if (records.length === 0) return negative('NOERROR', { name, chain, zone });
      return { rcode: 'NOERROR', answers: [...chain, ...records], authorities: [] };
    }
    chain.push({ type: 'CNAME', name, ttl: ttlOf(zone), data: zone.cname });
    name = zone.cname.toLowerCase();
  }
  return { rcode: 'SERVFAIL', answers: [], authorities: [] };
}

function recordsOf(zone: Zone, asked: { name: string; type: string }, turnOf: TurnOf): Answer[] {
  const { name, type } = asked;
  const ttl = ttlOf(zone);
  switch (type) {
    case 'MX':
      return (zone.mx ?? []).map(([preference, exchange]) => ({
        type,
        name,
        ttl,
        data: { preference, exchange },
      }));
    case 'A':
      return addressesInTurn(zone, name, turnOf).map((data) => ({ type, name, ttl, data }));
    case 'AAAA':
      return (zone.aaaa ?? []).map((data) => ({ type, name, ttl, data }));
    case 'TXT':
      return (zone.txt ?? []).map((data) => ({ type, name, ttl, data }));
    case 'PTR':
      return (zone.ptr ?? []).map((data) => ({ type, name, ttl, data }));
    case 'CNAME':
      return zone.cname === undefined ? [] : [{ type, name, ttl, data: zone.cname }];
  }
  return [];
}

function addressesInTurn(zone: Zone, name: string, turnOf: TurnOf): string[] {
  const sets = zone.aInTurn;
  if (sets === undefined || sets.length === 0) return zone.a ?? [];
  return sets[turnOf(name) % sets.length] ?? [];
}

function negative(rcode: Rcode, found: { name: string; chain: Answer[]; zone: Zone }): DnsAnswer {
  const minimum = found.zone.soaMinimum ?? 60;
  const parent = found.name.slice(found.name.indexOf('.') + 1);
  const soa: Answer = {
    type: 'SOA',
    name: parent,
    ttl: minimum,
    data: {
      mname: 'ns.world.test',
      rname: 'hostmaster.world.test',
      serial: 1,
      refresh: 3600,
      retry: 600,
      expire: 86_400,
      minimum,
    },
  };
  return { rcode, answers: found.chain, authorities: [soa] };
}

function ttlOf(zone: Zone): number {
  return zone.ttl ?? 300;
}
