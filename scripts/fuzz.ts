import { parseArgs } from 'node:util';
import { fuzzConversations } from '../engine/test/fuzz/conversation.fuzz.ts';
import { fuzzLocalPartsOnTheWire } from '../engine/test/fuzz/wire.fuzz.ts';
import {
  fuzzCacheKeys,
  fuzzMessages,
  fuzzMxTargets,
  fuzzWireNames,
  fuzzZoneGraphs,
} from '../engine/test/fuzz/dns.fuzz.ts';
import { fuzzEmbedded, fuzzTexts } from '../engine/test/fuzz/egress.fuzz.ts';
import { fuzzAddresses, fuzzDomains, fuzzLocalParts } from '../engine/test/fuzz/syntax.fuzz.ts';

/** `npm run fuzz`: every fuzz of the engine at full size. `npm test` runs the same in small. */
const { values } = parseArgs({
  options: { scale: { type: 'string', default: '1' }, seed: { type: 'string', default: '1' } },
});
const scale = Number(values.scale);
const seed = Number(values.seed);

const fuzzes: [string, number, (runs: number) => unknown][] = [
  ['domains', 50_000, (runs) => fuzzDomains({ runs })],
  ['local parts', 100_000, (runs) => fuzzLocalParts({ runs })],
  ['addresses', 100_000, (runs) => fuzzAddresses({ runs })],
  ['domain names on the wire', 50_000, (runs) => fuzzWireNames({ runs })],
  ['names in MX records', 20_000, (runs) => fuzzMxTargets({ runs })],
  ['zone graphs', 5_000, (runs) => fuzzZoneGraphs({ runs })],
  ['histories of the DNS cache', 3_000, (runs) => fuzzCacheKeys({ runs })],
  ['DNS messages', 100_000, (runs) => fuzzMessages({ runs })],
  ['IPv6 with IPv4 inside', 100_000, (runs) => fuzzEmbedded({ runs })],
  ['texts that may be IP addresses', 100_000, (runs) => fuzzTexts({ runs })],
  ['local parts on the wire', 100_000, (runs) => fuzzLocalPartsOnTheWire({ runs, seed })],
  ['SMTP conversations', 10_000, (runs) => fuzzConversations({ runs, seed })],
];

for (const [what, fullRuns, fuzz] of fuzzes) {
  const runs = Math.ceil(fullRuns * scale);
  const startedAt = performance.now();
  const seen = await fuzz(runs);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(
    `${what}: ${runs} passed in ${seconds} s${seen === undefined ? '' : ` ${JSON.stringify(seen)}`}\n`,
  );
}
