/** Puts a mail internet on loopback, from its description, and shows what it has seen. */
import type { HostDescription, WorldDescription } from './description.ts';
import { queryLog } from './dns/query-log.ts';
import type { DnsCounts, DnsQuery } from './dns/query-log.ts';
import { startDnsServer } from './dns/start-dns-server.ts';
import { turningBook, type ResolverTurn } from './dns/turning-book.ts';
import { zoneBook } from './dns/zone-book.ts';
import { giveAddresses } from './give-addresses.ts';
import type { MailHost } from './smtp/mail-host.ts';
import { smtpRecord } from './smtp/record.ts';
import type { Conversation, SmtpCounts, SmtpRecord, Violation } from './smtp/record.ts';
import { startMailHosts } from './smtp/start-mail-hosts.ts';
import { tlsContexts } from './smtp/tls-contexts.ts';
import type { TlsContexts } from './smtp/tls-contexts.ts';

export type WorldOptions = {
  /** One that is free, unless said. */
  smtpPort?: number;
  dnsPort?: number;
  /** Time for greylisting, in milliseconds; `advance` moves it on. */
  clock?: { now(): number };
  /** The resolver says "no such name" to everything from the start; `denyAllNames` of the world ends that. */
  denyAllNames?: boolean;
  /** The resolver keeps what it was asked for, as a cache does, and answers that after it has turned. */
  resolverKeepsCache?: boolean;
  /** Added to every DNS answer. */
  dnsLatencyMs?: number;
  /** For hosts that do not say otherwise. */
  latencyMs?: number;
};

export type World = {
  /** `127.0.0.1:PORT` */
  dnsServer: string;
  smtpPort: number;
  /** The settings that make Mailproof live in this world. */
  environment: Record<string, string>;
  counts: { readonly dns: DnsCounts; readonly smtp: SmtpCounts };
  /** By host name. */
  hosts: Record<string, { address: string; counts: SmtpCounts }>;
  readonly violations: Violation[];
  readonly conversations: Conversation[];
  readonly dnsQueries: DnsQuery[];
  /** Hosts that could not be put up because the machine has no such address (IPv6 switched off). */
  absentHosts: string[];
  /** Forgets every count, conversation and violation; what the hosts remember stays. */
  reset(): void;
  /** Makes the resolver deny everything from now on, as one behind a captive portal or a VPN does, or ends that. */
  turnResolver(how: ResolverTurn | 'truthful'): void;
  /** The same with "no such name". */
  denyAllNames(denying: boolean): void;
  /** Moves the world's clock on. */
  advance(ms: number): void;
  stop(): Promise<void>;
};

/** How the world's visitor introduces itself; the name resolves there and back. */
const visitor = 'probe.test';

export async function startWorld(description: WorldDescription, options: WorldOptions = {}): Promise<World> {
  const { hosts, zones } = giveAddresses(description, visitor);
  const clock = movableClock(options.clock ?? { now: () => Date.now() });
  const record = smtpRecord(Object.keys(hosts));
  const log = queryLog();
  const tls = tlsContexts();
  const mailHosts = Object.entries(hosts).map(([name, host]) => {
    const latencyMs = host.latencyMs ?? options.latencyMs ?? 0;
    return mailHost({ name, host: { ...host, latencyMs }, record, tls, now: () => clock.now() });
  });

  const smtp = await startMailHosts(mailHosts, record, options.smtpPort ?? 0);
  const keepsCache = options.resolverKeepsCache ?? false;
  const book = turningBook(zoneBook(zones), { now: () => clock.now(), keepsCache });
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
  now: () => number;
};

function mailHost({ name, host, record, tls, now }: HostParts): MailHost {
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
    now,
  };
}

function environmentOf(dnsPort: number, smtpPort: number): Record<string, string> {
  return {
    MAILPROOF_DNS_SERVERS: `127.0.0.1:${dnsPort}`,
    MAILPROOF_SMTP_PORT: `${smtpPort}`,
    MAILPROOF_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    MAILPROOF_WEBHOOK_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    // Hosts of a world stand side by side on loopback, where a real network's limits would only slow a test down.
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
