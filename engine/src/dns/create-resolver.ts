/**
 * The stub resolver: asks recursive resolvers over UDP and TCP and never walks the tree itself.
 *
 *     Resolver ─ cached-resolver ─ ask-servers ─ ask-server ─ udp-pool, ask-over-tcp
 *                (cache, sharing)  (rounds)      (one server)
 *
 * Node's own resolver does not do for this work: it gives no TTL for MX, its time-outs multiply,
 * it opens a socket per unanswered query, and it reads an odd response code as "no data".
 *
 * Limitations: no DNSSEC validation (that is the recursive resolver's), no search list, no hosts
 * file, no cookies (RFC 7873).
 */
import { randomInt } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import { createAskServers } from './ask-servers.ts';
import { cachedResolver } from './cached-resolver.ts';
import { createSemaphore } from './semaphore.ts';
import type { Lookup, LookupFailure, Resolver } from './lookup.ts';
import type { Ask, DnsQuestion, DnsServer, WireRecord } from './question.ts';
import { reverseName } from './reverse-name.ts';
import type { Random } from './udp-socket.ts';
import { createUdpPool } from './udp-pool.ts';

export type DnsResolver = Resolver & {
  /** The same servers with no cache between: for asking whether DNS works now. */
  uncached: Resolver;
  /** Drops every "no such name" from the cache. */
  forgetMissing(): void;
  /** How much longer the answer to a question stays in the cache; 0 where it is not there. */
  lifeMs(question: DnsQuestion): number;
  /** Messages sent (UDP and TCP), lookups that nobody answered, and UDP sockets open now and opened since the start. */
  counts(): {
    queries: number;
    failures: Readonly<Record<LookupFailure, number>>;
    openSockets: number;
    openedSockets: number;
  };
};

export function createResolver(parts: {
  servers: readonly DnsServer[];
  clock: Clock;
  limits: Limits;
  random?: Random;
}): DnsResolver {
  const { clock, limits, random = secureRandom } = parts;
  if (parts.servers.length === 0) throw new TypeError('a resolver needs a DNS server to ask');
  // Every server has a socket of its own, so there are not more servers than sockets.
  const servers = parts.servers.slice(0, limits.dnsSockets);
  const udp = createUdpPool({ servers, sockets: limits.dnsSockets, clock, random });
  let tcpCount = 0;
  const countTcp = () => {
    tcpCount += 1;
  };
  const wire = { udp, tcpQueries: createSemaphore(limits.dnsSockets), countTcp, random };
  const asker = createAskServers({
    servers,
    clock,
    limits,
    wire,
    lookups: createSemaphore(limits.dnsQueriesInFlight),
  });
  const failures = { servfail: 0, refused: 0, silence: 0, malformed: 0, other_rcode: 0 };
  const ask: Ask = async (question, patience) => {
    const answer = await asker.ask(question, patience);
    if (answer.lookup.kind === 'failed') failures[answer.lookup.failure] += 1;
    return answer;
  };
  const cached = cachedResolver(ask, { clock, limits });

  function close(): void {
    asker.close();
    udp.close();
  }

  return {
    ...asResolver(cached.ask, close),
    uncached: asResolver(ask, close),
    forgetMissing: () => cached.forgetMissing(),
    lifeMs: (question) => cached.lifeMs(question),
    counts() {
      const { sent, open, opened } = udp.counts();
      return { queries: sent + tcpCount, failures, openSockets: open, openedSockets: opened };
    },
  };
}

function secureRandom(below: number): number {
  return randomInt(below);
}

/** The `Resolver` that the engine knows, over the one way of asking that the parts of this folder share. */
function asResolver(ask: Ask, close: () => void): Resolver {
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
