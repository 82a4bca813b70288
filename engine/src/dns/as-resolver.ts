/** The `Resolver` the engine knows, over the one way of asking that the parts of this folder share. */
import type { Patience } from '../patience.ts';
import type { Lookup, Resolver } from './lookup.ts';
import type { Ask, DnsQuestion, WireRecord } from './question.ts';
import { reverseName } from './reverse-name.ts';

export function asResolver(ask: Ask, close: () => void): Resolver {
  async function texts(question: DnsQuestion, patience: Patience): Promise<Lookup<string>> {
    return mapFound((await ask(question, patience)).lookup, (record) => record.text);
  }
  return {
    async mx(name, patience) {
      const { lookup } = await ask({ name, type: 'MX' }, patience);
      return mapFound(lookup, ({ preference, text }) => ({ preference, exchange: text }));
    },
    ipv4: (name, patience) => texts({ name, type: 'A' }, patience),
    ipv6: (name, patience) => texts({ name, type: 'AAAA' }, patience),
    reverse: (ip, patience) => texts({ name: reverseName(ip), type: 'PTR' }, patience),
    text: (name, patience) => texts({ name, type: 'TXT' }, patience),
    close,
  };
}

/** Every caller gets records of its own: an answer in the cache is shared and never handed out. */
function mapFound<Found>(lookup: Lookup<WireRecord>, read: (record: WireRecord) => Found): Lookup<Found> {
  return lookup.kind === 'found' ? { kind: 'found', records: lookup.records.map(read) } : { ...lookup };
}
