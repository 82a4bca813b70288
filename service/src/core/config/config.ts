import { canonicalHost, parseDnsServer, type Cidr } from '@mailproof/engine';
import { featureNames, type FeatureName } from './feature-names.ts';
import { identitySettings, type IdentityConfig } from './identity-settings.ts';
import { reputationSettings, type ReputationConfig } from './reputation-settings.ts';
import { providerSettings, type ProviderConfig } from './provider-settings.ts';
import {
  directory,
  duration,
  listenAddress,
  listOf,
  listOrNone,
  maskPassword,
  oneOf,
  postgresUrl,
  readableFile,
  token,
  usually,
  usuallyNone,
  urlPath,
  wholeNumber,
  writesToJournal,
  type Setting,
} from './setting.ts';
import { cidrBlocks, usualDataDir } from './usual-values.ts';

/** Settings of the core whose rows stand in a file of their own. */
type TablesOfTheirOwn = ProviderConfig & IdentityConfig & ReputationConfig;

/**
 * The settings of the core, as data: names, defaults, meanings and what each may be. Features have tables of their own;
 * `start/config.ts` puts them together.
 */
type CoreConfig = TablesOfTheirOwn & {
  host: string;
  port: number;
  /** The URL path prefix behind a reverse proxy, without a slash at the end; empty for the root. */
  basePath: string;
  databaseUrl: string | undefined;
  dataDir: string;
  /** Empty: the resolvers of the system. */
  dnsServers: { ip: string; port: number }[];
  /** Names that must exist; empty in a closed network. */
  resolverProbes: string[];
  smtpPort: number;
  egressAllow: Cidr[];
  starttls: 'demanded' | 'always';
  verificationsAtOnce: number;
  singleTimeoutMs: number;
  taskDeadlineMs: number;
  deferRetryMs: number;
  taskRetentionMs: number;
  adminToken: string | undefined;
  trustedProxies: Cidr[];
  tlsCertFile: string | undefined;
  tlsKeyFile: string | undefined;
  spamtrapsFile: string | undefined;
  disposableFile: string | undefined;
  allowFile: string | undefined;
  denyFile: string | undefined;
  ratePerAccount: number | undefined;
  ratePerKey: number | undefined;
  sandboxAddressesPerHour: number;
  sandboxDelays: 'on' | 'off';
  firstKeys: 'print' | 'file';
  /** The features of this installation; those left out have no routes, jobs, commands or pages. */
  features: FeatureName[];
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
};

const dayMs = 86_400_000;

/** Large domains of different owners. */
const usualProbes = ['gmail.com', 'outlook.com', 'icloud.com'];

/** A row for each setting of a table. */
export type SettingTable<Table> = { readonly [Name in keyof Table]: Setting<Table[Name]> };

export const coreSettings: SettingTable<CoreConfig> = {
  host: {
    names: ['MAILPROOF_HOST'],
    meaning: 'address the API listens on',
    ...usually('127.0.0.1'),
    ...listenAddress,
  },
  port: {
    names: ['MAILPROOF_PORT', 'PORT'],
    meaning: 'port the API listens on (PORT is read too; 0 takes any free one)',
    ...usually(8080),
    ...wholeNumber(0, 65_535),
  },
  basePath: {
    names: ['MAILPROOF_BASE_PATH'],
    meaning: 'URL path prefix behind a reverse proxy; works whether or not the proxy strips it',
    defaultText: null,
    defaultValue: () => '',
    ...urlPath,
  },
  databaseUrl: {
    names: ['MAILPROOF_DATABASE_URL'],
    meaning: 'PostgreSQL database; none: SQLite in the data directory',
    ...usuallyNone,
    ...postgresUrl,
    mask: maskPassword,
  },
  dataDir: {
    names: ['MAILPROOF_DATA_DIR'],
    meaning: 'directory of the SQLite database; in a clone the default is in its root',
    defaultText: './data',
    defaultValue: usualDataDir,
    ...directory,
  },
  dnsServers: {
    names: ['MAILPROOF_DNS_SERVERS'],
    meaning: 'recursive resolvers to ask',
    defaultText: "the system's",
    defaultValue: () => [],
    ...listOf('ip or ip:port, an IPv6 address with a port in brackets', parseDnsServer),
  },
  resolverProbes: {
    names: ['MAILPROOF_RESOLVER_PROBES'],
    meaning:
      'names that must exist: a resolver that denies a domain must find one of them afterwards; with a large provider among them, others are asked in turn; none (closed networks): denials are trusted without this check',
    defaultText: usualProbes.join(','),
    defaultValue: () => [...usualProbes],
    ...listOrNone('host names such as example.com', canonicalHost),
  },
  smtpPort: {
    names: ['MAILPROOF_SMTP_PORT'],
    meaning: 'port of mail hosts (tests set another)',
    ...usually(25),
    ...wholeNumber(1, 65_535),
  },
  ...identitySettings,
  ...reputationSettings,
  egressAllow: {
    names: ['MAILPROOF_EGRESS_ALLOW'],
    meaning: 'blocks outside public address space in which mail hosts and the OIDC provider may be dialled',
    ...cidrBlocks,
  },
  starttls: {
    names: ['MAILPROOF_STARTTLS'],
    meaning: 'TLS only if a mail host demands it, or whenever it is offered',
    ...usually('demanded'),
    ...oneOf('demanded', 'always'),
  },
  verificationsAtOnce: {
    names: ['MAILPROOF_VERIFICATIONS_AT_ONCE'],
    meaning: 'concurrent verifications per process; one account has at most a fifth of them',
    ...usually(500),
    ...wholeNumber(1, 5_000),
  },
  singleTimeoutMs: {
    names: ['MAILPROOF_SINGLE_TIMEOUT_MS'],
    meaning: 'deadline of a single verification',
    ...usually(30_000),
    ...duration(100, 600_000),
  },
  taskDeadlineMs: {
    names: ['MAILPROOF_TASK_DEADLINE_MS'],
    meaning: 'deadline of a bulk task',
    ...usually(1_800_000),
    ...duration(100, dayMs),
  },
  deferRetryMs: {
    names: ['MAILPROOF_DEFER_RETRY_MS'],
    meaning: 'first wait before a deferring mail host is asked again (bulk)',
    ...usually(300_000),
    ...duration(10, dayMs),
  },
  taskRetentionMs: {
    names: ['MAILPROOF_TASK_RETENTION_MS'],
    meaning: 'retention of a completed task and its addresses (15 days by default, 30 at most)',
    ...usually(15 * dayMs),
    ...duration(0, 30 * dayMs),
  },
  ...providerSettings,
  adminToken: {
    names: ['MAILPROOF_ADMIN_TOKEN'],
    meaning: 'enables the admin API; callers authenticate with this token',
    ...usuallyNone,
    ...token,
    mask: () => '***',
  },
  trustedProxies: {
    names: ['MAILPROOF_TRUSTED_PROXIES'],
    meaning: 'proxies whose X-Forwarded-For and Forwarded headers are trusted',
    ...cidrBlocks,
  },
  tlsCertFile: {
    names: ['MAILPROOF_TLS_CERT_FILE'],
    meaning: 'certificate with its chain (PEM): the API is served over HTTPS; read again when it changes',
    ...usuallyNone,
    ...readableFile,
  },
  tlsKeyFile: {
    names: ['MAILPROOF_TLS_KEY_FILE'],
    meaning: 'the key of that certificate (PEM)',
    ...usuallyNone,
    ...readableFile,
  },
  spamtrapsFile: {
    names: ['MAILPROOF_SPAMTRAPS_FILE'],
    meaning: 'addresses of spam traps, or the SHA-256 of each, one a line',
    ...usuallyNone,
    ...readableFile,
  },
  disposableFile: {
    names: ['MAILPROOF_DISPOSABLE_FILE'],
    meaning: 'disposable domains beside the built-in ones, one a line',
    ...usuallyNone,
    ...readableFile,
  },
  allowFile: {
    names: ['MAILPROOF_ALLOW_FILE'],
    meaning: 'addresses and domains that are never reported as disposable, one a line',
    ...usuallyNone,
    ...readableFile,
  },
  denyFile: {
    names: ['MAILPROOF_DENY_FILE'],
    meaning: 'addresses and domains that are never asked about, one a line',
    ...usuallyNone,
    ...readableFile,
  },
  ratePerAccount: {
    names: ['MAILPROOF_RATE_PER_ACCOUNT'],
    meaning: 'requests per minute of an account to each process; `accounts rate` sets it for one account',
    ...usuallyNone,
    ...wholeNumber(1, 1_000_000),
  },
  ratePerKey: {
    names: ['MAILPROOF_RATE_PER_KEY'],
    meaning: 'requests per minute of a key to each process',
    ...usuallyNone,
    ...wholeNumber(1, 1_000_000),
  },
  sandboxAddressesPerHour: {
    names: ['MAILPROOF_SANDBOX_ADDRESSES_PER_HOUR'],
    meaning: "addresses per hour that an account's test keys may store; they are kept for an hour",
    ...usually(1_000_000),
    ...wholeNumber(1, 100_000_000),
  },
  sandboxDelays: {
    names: ['MAILPROOF_SANDBOX_DELAYS'],
    meaning: 'whether answers to test keys take as long as real ones',
    ...usually('on'),
    ...oneOf('on', 'off'),
  },
  firstKeys: {
    names: ['MAILPROOF_FIRST_KEYS'],
    meaning:
      'output of the keys of the first start: standard output, or first-keys.txt in the data directory',
    defaultText: 'print; file where standard output is the journal of systemd',
    defaultValue: (env) => (writesToJournal(env) ? 'file' : 'print'),
    ...oneOf('print', 'file'),
  },
  features: {
    names: ['MAILPROOF_FEATURES'],
    meaning: 'features of this installation; `none` leaves the core alone: single verifications and tasks',
    defaultText: 'all',
    defaultValue: () => [...featureNames],
    ...listOrNone(`names among ${featureNames.join(', ')}`, (text) =>
      featureNames.find((name) => name === text),
    ),
  },
  logLevel: {
    names: ['MAILPROOF_LOG_LEVEL'],
    meaning: 'lowest level that is logged',
    ...usually('info'),
    ...oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
};

/** The settings of the core and of every feature: each feature adds its own to this interface. */
export interface Config extends CoreConfig {}
