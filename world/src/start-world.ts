/** Starts a mail internet on loopback from its description, and shows what it has seen. */
import { type DnsCounts, type DnsQuery, queryLog, startDnsServer } from './dns/start-dns-server.ts';
import {
  blockListBook,
  type BlockLists,
  type ResolverTurn,
  turningBook,
  type Zone,
  zoneBook,
} from './dns/zones.ts';
import type { MailHost } from './smtp/mail-host.ts';
import {
  type Conversation,
  type SmtpCounts,
  smtpRecord,
  type SmtpRecord,
  type Violation,
} from './smtp/record.ts';
import { tlsContexts, type TlsContexts } from './smtp/secure-stream.ts';
import { startMailHosts } from './smtp/start-mail-hosts.ts';
import type { Mailbox, Temper } from './smtp/temper.ts';

/** A mail host: its address, temper and mailboxes. */
export type HostDescription = {
  /** `127.x.y.z` or `::1`; default a free one of 127.10.0.0/16. The host name's A or AAAA record follows. */
  address?: string;
  temper?: Temper;
  /** Keyed by local part in lower case, or by whole address; all other mailboxes are unknown. */
  mailboxes?: Record<string, Mailbox>;
  /** Network delay: each reply leaves this long after its command arrived, groups together. */
  latencyMs?: number;
};

/** A mail internet as data. Zones are keyed by name, hosts by host name; `*.x` zones are wildcards. */
export type WorldDescription = {
  zones: Record<string, Zone>;
  hosts: Record<string, HostDescription>;
  /** DNS block lists by zone, with their addresses at the start; tests can change them. */
  blockLists?: Record<string, readonly string[]>;
  /** The visitor's public address beyond its NAT, keyed by the address of its connections. */
  seenAs?: Record<string, string>;
};

export type WorldOptions = {
  /** Default: a free port. */
  smtpPort?: number;
  dnsPort?: number;
  /** Time for greylisting, in milliseconds; `advance` adds to it. */
  clock?: { now(): number };
  /** The resolver says "no such name" to everything from the start, until `denyAllNames(false)`. */
  denyAllNames?: boolean;
  /** The resolver has a cache, and still answers earlier questions after it has turned. */
  resolverKeepsCache?: boolean;
  /** Added to every DNS answer. */
  dnsLatencyMs?: number;
  /** Default for hosts without their own. */
  latencyMs?: number;
};

export type World = {
  /** `127.0.0.1:PORT` */
  dnsServer: string;
  smtpPort: number;
  /** The settings with which Mailproof uses this world. */
  environment: Record<string, string>;
  counts: { readonly dns: DnsCounts; readonly smtp: SmtpCounts };
  /** Keyed by host name. */
  hosts: Record<string, { address: string; counts: SmtpCounts }>;
  readonly violations: Violation[];
  readonly conversations: Conversation[];
  readonly dnsQueries: DnsQuery[];
  /** Hosts that did not start because the machine lacks their address (IPv6 switched off). */
  absentHosts: string[];
  /** Forgets every count, conversation and violation; the hosts keep their memory. */
  reset(): void;
  /** Makes the resolver deny everything from now on, as behind a captive portal or a VPN, or ends that. */
  turnResolver(how: ResolverTurn | 'truthful'): void;
  /** Makes the resolver say "no such name" to everything, or ends that. */
  denyAllNames(denying: boolean): void;
  /** Puts addresses on block lists of the description and takes them off. */
  blockLists: Omit<BlockLists, 'isListed'>;
  /** Moves the world's clock on. */
  advance(ms: number): void;
  stop(): Promise<void>;
};

/** The HELO name of the world's visitor; it resolves there and back. */
const visitor = 'probe.test';

export async function startWorld(description: WorldDescription, options: WorldOptions = {}): Promise<World> {
  const { hosts, zones } = giveAddresses(description, visitor);
  const clock = movableClock(options.clock ?? { now: () => Date.now() });
  const record = smtpRecord(Object.keys(hosts));
  const log = queryLog();
  const tls = tlsContexts();
  const lists = blockListBook(zoneBook(zones), description.blockLists ?? {});
  const isListed = (list: string, client: string): boolean =>
    lists.isListed(list, description.seenAs?.[client] ?? client);
  const mailHosts = Object.entries(hosts).map(([name, host]) => {
    const latencyMs = host.latencyMs ?? options.latencyMs ?? 0;
    return mailHost({ name, host: { ...host, latencyMs }, record, tls, isListed, now: () => clock.now() });
  });

  const smtp = await startMailHosts(mailHosts, record, options.smtpPort ?? 0);
  const keepsCache = options.resolverKeepsCache ?? false;
  const book = turningBook(lists, { now: () => clock.now(), keepsCache });
  if (options.denyAllNames === true) book.turn('no_such_name');
  const dns = await startDnsServer(
    { book, log, latencyMs: options.dnsLatencyMs ?? 0 },
    options.dnsPort ?? 0,
  ).catch(async (error: unknown) => {
    await smtp.stop();
    throw error;
  });

  return {
    dnsServer: `127.0.0.1:${dns.port}`,
    smtpPort: smtp.port,
    environment: environmentOf(dns.port, smtp.port),
    counts: {
      get dns() {
        return log.counts;
      },
      smtp: record.total,
    },
    hosts: Object.fromEntries(
      mailHosts.map((host) => [host.name, { address: host.address, counts: host.counts }]),
    ),
    get violations() {
      return record.violations;
    },
    get conversations() {
      return record.conversations;
    },
    get dnsQueries() {
      return log.queries;
    },
    absentHosts: smtp.absent,
    reset() {
      log.reset();
      record.reset();
    },
    turnResolver: (how) => book.turn(how),
    denyAllNames: (denying) => book.turn(denying ? 'no_such_name' : 'truthful'),
    blockLists: lists,
    advance: (ms) => clock.advance(ms),
    async stop() {
      await Promise.all([smtp.stop(), dns.stop()]);
    },
  };
}

type HostParts = {
  name: string;
  host: HostDescription & { address: string; latencyMs: number };
  record: SmtpRecord;
  tls: TlsContexts;
  isListed: MailHost['isListed'];
  now: () => number;
};

function mailHost({ name, host, record, tls, isListed, now }: HostParts): MailHost {
  const counts = record.hosts.get(name);
  if (counts === undefined) throw new Error(`no counts for host ${name}`);
  const mailboxes = new Map(
    Object.entries(host.mailboxes ?? {}).map(([box, state]) => [box.toLowerCase(), state] as const),
  );
  return {
    name,
    address: host.address,
    temper: host.temper ?? {},
    mailboxes,
    latencyMs: host.latencyMs,
    counts,
    tls,
    greylist: new Map(),
    unknown: new Map(),
    conversations: 0,
    open: new Set(),
    isListed,
    now,
  };
}

function environmentOf(dnsPort: number, smtpPort: number): Record<string, string> {
  return {
    MAILPROOF_DNS_SERVERS: `127.0.0.1:${dnsPort}`,
    MAILPROOF_SMTP_PORT: `${smtpPort}`,
    MAILPROOF_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    MAILPROOF_WEBHOOK_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    // All hosts are on loopback, so the limits for real networks would only slow tests down.
    MAILPROOF_PACING: 'off',
    MAILPROOF_HELO_NAME: visitor,
    MAILPROOF_MAIL_FROM: `verify@${visitor}`,
  };
}

function movableClock(base: { now(): number }) {
  let aheadMs = 0;
  return {
    now: () => base.now() + aheadMs,
    advance(ms: number) {
      aheadMs += ms;
    },
  };
}

type Addressed = {
  zones: Record<string, Zone>;
  hosts: Record<string, HostDescription & { address: string }>;
};

/**
 * Gives every host its own address and every host name its records, so that a description need not repeat itself. Adds
 * the visitor's domain, for checks of HELO name and sender, and the domains by which a visitor tests a resolver.
 */
function giveAddresses(description: WorldDescription, visitor: string): Addressed {
  const taken = new Set<string>();
  const hosts: Addressed['hosts'] = {};
  const zones: Record<string, Zone> = { ...visitorZones(visitor), ...wellKnownZones(), ...description.zones };
  for (const { address } of Object.values(description.hosts)) {
    if (address === undefined) continue;
    if (taken.has(address)) throw new Error(`two mail hosts at ${address}`);
    taken.add(address);
  }
  const free = freeAddresses(taken);
  for (const [name, host] of Object.entries(description.hosts)) {
    const address = host.address ?? free();
    hosts[name] = { ...host, address };
    zones[name] = { ...(address.includes(':') ? { aaaa: [address] } : { a: [address] }), ...zones[name] };
    zones[reverseName(address)] = { ptr: [name], ...zones[reverseName(address)] };
  }
  return { zones, hosts };
}

/** Returns 127.10.0.1, 127.10.0.2 … one per call, without those taken. */
function freeAddresses(taken: Set<string>): () => string {
  let last = 0;
  return () => {
    do last += 1;
    while (taken.has(nth(last)));
    if (last >= 65_535) throw new Error('more mail hosts than addresses in 127.10.0.0/16');
    return nth(last);
  };
}

function nth(number: number): string {
  return `127.10.${number >> 8}.${number & 255}`;
}

function reverseName(address: string): string {
  if (address === '::1') return `1.${'0.'.repeat(31)}ip6.arpa`;
  return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
}

function visitorZones(visitor: string): Record<string, Zone> {
  return {
    [visitor]: { a: ['127.0.0.1'], mx: [[10, visitor]], txt: ['v=spf1 ip4:127.0.0.1 -all'] },
    '1.0.0.127.in-addr.arpa': { ptr: [visitor] },
  };
}

/** Domains that a verifier expects to find in any DNS. No process listens at their mail hosts here. */
const wellKnownDomains = ['gmail.com', 'outlook.com', 'icloud.com'];

function wellKnownZones(): Record<string, Zone> {
  return Object.fromEntries(
    wellKnownDomains.flatMap((domain): [string, Zone][] => [
      [domain, { mx: [[10, `mx.${domain}`]], a: ['127.11.0.1'] }],
      [`mx.${domain}`, { a: ['127.11.0.1'] }],
    ]),
  );
}
