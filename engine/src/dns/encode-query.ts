/** Writes a query (RFC 1035 section 4.1) with recursion desired. */
import { encode, RECURSION_DESIRED } from 'dns-packet';
import type { OptAnswer } from 'dns-packet';
import type { DnsQuestion } from './question.ts';

/**
 * EDNS0 (RFC 6891) with a buffer of 1,232 bytes: what fits the smallest IPv6 path without
 * fragments, and fragments are both lost and forged more easily than whole datagrams.
 */
const edns: OptAnswer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: 1_232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

export function encodeQuery(query: { id: number; question: DnsQuestion; withEdns: boolean }): Buffer {
  return encode({
    type: 'query',
    id: query.id,
    flags: RECURSION_DESIRED,
    questions: [{ ...query.question, class: 'IN' }],
    additionals: query.withEdns ? [edns] : [],
  });
}
