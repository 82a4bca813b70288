/**
 * The stub resolver: asks recursive resolvers over UDP and TCP and never walks the tree itself.
 *
 *     Resolver ─ cached-resolver ─ ask-servers ─ ask-server ─ udp-pool, or TCP
 *                (cache, sharing)  (rounds)      (one server)
 *
 * Node's own resolver does not serve here. It gives no TTL for MX, its time-outs multiply, it opens a socket per
 * unanswered query, and it reads an odd response code as "no data".
 *
 * Limitations: no DNSSEC validation (that is the recursive resolver's), no search list, no hosts file, no cookies
 * (RFC 7873).
 */
import { randomFillSync } from 'node:crypto';
import { getServers } from 'node:dns';
import { isIPv4, isIPv6 } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { parseIp } from '../ip-address.ts';
import { waitFor, type Patience } from '../patience.ts';
import { createSemaphore } from './ask-server.ts';
import { createAskServers } from './ask-servers.ts';
import { cachedResolver, noAnswer } from './cached-resolver.ts';
import type {
  Lookup,
  LookupFailure,
  MxRecord,
  Resolver,
  Ask,
  DnsAnswer,
  DnsQuestion,
  DnsServer,
  WireRecord,
} from './lookup.ts';
import { createUdpPool, type Random } from './udp-pool.ts';

export type DnsResolver = Resolver & {
  /** The same servers without the cache: for asking whether DNS works now. */
  uncached: Resolver;
  /** The number of servers, and each server alone, without the cache. */
  servers: number;
  at(server: number): Resolver;
  askServer(server: number, question: DnsQuestion, patience: Patience): Promise<DnsAnswer>;
  /** Drops every denial from the cache. */
  forgetMissing(): void;
  /** Drops every answer from the cache. */
  forgetAll(): void;
  /** How much longer the answer to a question stays in the cache; 0 if it is not there. */
  lifeMs(question: DnsQuestion): number;
  /** Messages sent (UDP and TCP), lookups without an answer, and UDP sockets open now and opened since the start. */
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
  const { clock, limits, random = createSecureRandom() } = parts;
  if (parts.servers.length === 0) throw new TypeError('a resolver needs a DNS server to ask');
  // Every server has a socket of its own, so there are not more servers than sockets.
  const servers = parts.servers.slice(0, limits.dnsSockets);
  const udp = createUdpPool({ servers, sockets: limits.dnsSockets, clock, random });
  let tcpCount = 0;
  const countTcp = () => {
    tcpCount += 1;
  };
  const wire = { udp, tcpQueries: createSemaphore(limits.dnsSockets), countTcp, random };
  const failures = { servfail: 0, refused: 0, silence: 0, malformed: 0, other_rcode: 0 };
  const askerFor = (asked: readonly DnsServer[]): Asker =>
    createAskServers({
      servers: asked,
      clock,
      limits,
      wire,
      onFailure: (failure) => void (failures[failure] += 1),
    });
  const asker = askerFor(servers);
  const askers = servers.length === 1 ? [asker] : servers.map((server) => askerFor([server]));
  const cached = cachedResolver((order) => asker.begin(order), { clock, limits });

  function close(): void {
    asker.close();
    for (const one of askers) one.close();
    udp.close();
  }
  const asks = askers.map((one) => askPastCache(one, clock));
  const pinned = asks.map((ask) => asResolver(ask, close));

  return {
    ...asResolver(cached.ask, close),
    uncached: asResolver(askPastCache(asker, clock), close),
    servers: servers.length,
    at: (server) => atServer(pinned, server),
    askServer: (server, question, patience) => atServer(asks, server)(question, patience),
    forgetMissing: () => cached.forgetMissing(),
    forgetAll: () => cached.forgetAll(),
    lifeMs: (question) => cached.lifeMs(question),
    counts() {
      const { sent, open, opened } = udp.counts();
      return { queries: sent + tcpCount, failures, openSockets: open, openedSockets: opened };
    },
  };
}

type Asker = ReturnType<typeof createAskServers>;

function askPastCache(asker: Asker, clock: Clock): Ask {
  return (question, { deadline, signal }) => {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const { promise, resolve, reject } = Promise.withResolvers<DnsAnswer>();
    const lookup = asker.begin({ question, endsAt: deadline, owner: { answered: resolve, broke: reject } });
    // The lookup ends by itself at the deadline.
    const patience = { deadline: Infinity, signal };
    return waitFor(promise, { clock, patience, late: noAnswer, left: () => lookup.giveUp() });
  };
}

function atServer<Value>(values: readonly Value[], server: number): Value {
  const value = values[server];
  if (value === undefined) throw new RangeError(`no DNS server ${server}`);
  return value;
}

/** Draws from the system's generator, many numbers at once: each call costs as much as the query it is for. */
function createSecureRandom(): Random {
  const drawn = new Uint32Array(1_024);
  let used = drawn.length;
  function draw(): number {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    used += 1;
    return drawn[used - 1] ?? 0;
  }
  return (below) => {
    // Beyond the last whole multiple of `below` small numbers would come up more often than large ones.
    const end = 2 ** 32 - (2 ** 32 % below);
    let number = draw();
    while (number >= end) number = draw();
    return number % below;
  };
}

/** Returns the engine's `Resolver` over the one way of asking that the parts of this folder share. */
function asResolver(ask: Ask, close: () => void): Resolver {
  const texts = (question: DnsQuestion, patience: Patience): Promise<Lookup<string>> =>
    ask(question, patience).then(readTexts);
  return {
    mx: (name, patience) => ask({ name, type: 'MX' }, patience).then(readExchanges),
    ipv4: (name, patience) => texts({ name, type: 'A' }, patience),
    ipv6: (name, patience) => texts({ name, type: 'AAAA' }, patience),
    reverse: (ip, patience) => texts({ name: reverseName(ip), type: 'PTR' }, patience),
    text: (name, patience) => texts({ name, type: 'TXT' }, patience),
    close,
  };
}

function readTexts({ lookup }: DnsAnswer): Lookup<string> {
  return mapFound(lookup, textOf);
}

function readExchanges({ lookup }: DnsAnswer): Lookup<MxRecord> {
  return mapFound(lookup, mxOf);
}

function textOf({ text }: WireRecord): string {
  return text;
}

function mxOf({ preference, text }: WireRecord): MxRecord {
  return { preference, exchange: text };
}

/** Copies an answer for its caller: an answer in the cache is shared and never handed out. */
function mapFound<Found>(lookup: Lookup<WireRecord>, read: (record: WireRecord) => Found): Lookup<Found> {
  return lookup.kind === 'found' ? { kind: 'found', records: lookup.records.map(read) } : { ...lookup };
}

/**
 * Returns the name under which an address points back: RFC 1035 section 3.5 for IPv4, RFC 3596 section 2.5 for IPv6.
 */
export function reverseName(address: string): string {
  // The zone of a link-local address is no part of it.
  const ip = parseIp(address.replace(/%.*$/, ''));
  if (ip === undefined) throw new TypeError('only an IP address has a reverse name');
  if (ip.family === 4) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const digits = ip.value.toString(16).padStart(32, '0');
  return `${Array.from(digits).reverse().join('.')}.ip6.arpa`;
}

/** Returns the resolvers to ask if the operator names none: the system's, as Node reads them. */
export function systemServers(): DnsServer[] {
  return getServers()
    .map(parseDnsServer)
    .filter((server) => server !== undefined);
}

const DNS_PORT = 53;

/** Reads `ip`, `ip:port`, `[v6]` or `[v6]:port`; the port is 53 unless it is given. */
export function parseDnsServer(text: string): DnsServer | undefined {
  if (isIPv6(text)) return { ip: text, port: DNS_PORT };
  const bracketed = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(text);
  if (bracketed !== null) return server(bracketed, isIPv6);
  const plain = /^([^:]*)(?::(\d{1,5}))?$/.exec(text);
  return plain === null ? undefined : server(plain, isIPv4);
}

function server(match: RegExpExecArray, isAddress: (text: string) => boolean): DnsServer | undefined {
  const [, ip = '', digits] = match;
  const port = digits === undefined ? DNS_PORT : Number(digits);
  return isAddress(ip) && port >= 1 && port <= 65_535 ? { ip, port } : undefined;
}
