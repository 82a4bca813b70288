import type { FeatureName } from '../../core/config/feature-names.ts';
import { storeFaults } from '../../core/store/store-unavailable-error.ts';

/**
 * Every family of figures that `/metrics` exports, as data: docs/metrics.md is written from this table, and the alert
 * rules and the board are held to it. A label has few values, all of them known beforehand or set by the operator:
 * never an address, a domain, an account or a key.
 */
export type MetricFamily = {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  /** Each label with what it may be. */
  labels: Readonly<Record<string, string>>;
  /** The upper bounds of a histogram. */
  buckets?: readonly number[];
  /** The feature that it is left out with; of the core if absent. */
  feature?: FeatureName;
};

const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const stageSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 300, 1_800];
const transactionSeconds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

const none = {};
const routeName = 'the name of an egress route, `default` where none is set';

export const metricFamilies = {
  requestSeconds: {
    name: 'mailproof_http_request_duration_seconds',
    type: 'histogram',
    help: 'HTTP requests, from their first byte to the end of the answer',
    labels: {
      route: 'the pattern of the path, `unmatched` where there is none',
      method: 'the method, `other` where no route knows it',
      status: 'the status code',
    },
    buckets: requestSeconds,
  },
  overloadRefusals: {
    name: 'mailproof_http_overload_refusals_total',
    type: 'counter',
    help: 'Requests refused with 503 before any work was done for them',
    labels: { kind: '`single`, `bulk`, `upload`, `read` or `account`', why: '`overload` or `drain`' },
  },
  verifications: {
    name: 'mailproof_verifications_total',
    type: 'counter',
    help: 'Live verifications that came to an end',
    labels: {
      status: 'the status, `verification_timeout` (504) or `verification_unavailable` (502)',
      reason: 'a reason of docs/reasons.md; empty where there is none',
      provider: 'a provider of the built-in table, `other`, or `none` where no mail host was asked',
    },
  },
  verificationStageSeconds: {
    name: 'mailproof_verification_stage_seconds',
    type: 'histogram',
    help: 'Time that live verifications spent in each stage they reached, waiting for a mail host included',
    labels: { stage: '`dns`, `smtp` or `total`' },
    buckets: stageSeconds,
  },
  conversationsOpen: {
    name: 'mailproof_conversations_open',
    type: 'gauge',
    help: 'SMTP conversations that are open',
    labels: none,
  },
  probesWaiting: {
    name: 'mailproof_probes_waiting',
    type: 'gauge',
    help: 'Addresses that wait for a conversation with their mail host',
    labels: none,
  },
  conversationsOpened: {
    name: 'mailproof_conversations_opened_total',
    type: 'counter',
    help: 'SMTP connections begun',
    labels: { route: routeName },
  },
  conversationsConnected: {
    name: 'mailproof_conversations_connected_total',
    type: 'counter',
    help: 'SMTP connections that came about',
    labels: { route: routeName },
  },
  routeOpen: {
    name: 'mailproof_route_open',
    type: 'gauge',
    help: 'Whether an egress route may be used: 0 where it is closed, down, resting, or its volume of the day is spent',
    labels: { route: routeName },
  },
  egressListed: {
    name: 'mailproof_egress_listed',
    type: 'gauge',
    help: 'Whether an egress route is closed because a block list has its address',
    labels: { route: routeName },
  },
  egressRefusals: {
    name: 'mailproof_egress_refusals_total',
    type: 'counter',
    help: 'Addresses of mail hosts that were not dialled, because they are not public',
    labels: {
      why: '`forbidden`; `breach` where a socket was about to reach one all the same and was closed',
    },
  },
  mailPortBlocked: {
    name: 'mailproof_mail_port_blocked',
    type: 'gauge',
    help: 'Whether outbound port 25 looks blocked',
    labels: none,
  },
  identityUnproven: {
    name: 'mailproof_identity_unproven',
    type: 'gauge',
    help: 'Egress routes from which public mail hosts are not asked, because HELO name or sender is not proven',
    labels: none,
  },
  resting: {
    name: 'mailproof_resting',
    type: 'gauge',
    help: 'Parties that are left alone now',
    labels: {
      kind: '`provider`, `host`, `network` or `address`',
      provider: 'a provider of the built-in table, `other` for all others',
      reason: 'why, as in docs/reasons.md',
    },
  },
  dnsQueries: {
    name: 'mailproof_dns_queries_total',
    type: 'counter',
    help: 'DNS messages sent to resolvers',
    labels: none,
  },
  dnsFailures: {
    name: 'mailproof_dns_failures_total',
    type: 'counter',
    help: 'DNS lookups that no resolver answered',
    labels: { failure: '`servfail`, `refused`, `silence`, `malformed` or `other_rcode`' },
  },
  resolverInOrder: {
    name: 'mailproof_resolver_in_order',
    type: 'gauge',
    help: 'Whether the resolver knows the names that must exist',
    labels: none,
  },
  tasks: {
    name: 'mailproof_tasks',
    type: 'gauge',
    help: 'Tasks that are not completed, those of lists included; counted up to 10,000',
    labels: { status: '`waiting` or `running`' },
  },
  oldestTaskSeconds: {
    name: 'mailproof_oldest_waiting_task_seconds',
    type: 'gauge',
    help: 'How long the oldest of the waiting tasks has been waiting for a worker; 0 where none is',
    labels: none,
  },
  taskLeasesLost: {
    name: 'mailproof_task_leases_lost_total',
    type: 'counter',
    help: 'Tasks that this process had to leave to another because it could not renew its lease in time',
    labels: none,
  },
  lists: {
    feature: 'lists',
    name: 'mailproof_lists',
    type: 'gauge',
    help: 'Lists at work',
    labels: { state: '`receiving` or `running`' },
  },
  listAddressesLeft: {
    feature: 'lists',
    name: 'mailproof_list_addresses_left',
    type: 'gauge',
    help: 'Addresses of running lists that are not checked yet',
    labels: none,
  },
  egressAvailable: {
    feature: 'probers',
    name: 'mailproof_egress_available',
    type: 'gauge',
    help: 'Whether mail hosts can be asked: 0 if no process and no prober can, as far as this process knows',
    labels: none,
  },
  proberWell: {
    feature: 'probers',
    name: 'mailproof_prober_well',
    type: 'gauge',
    help: 'Whether a prober elsewhere that has enrolled is asked: 0 where it is silent, or something is wrong with it',
    labels: { prober: 'the name that the operator gave it' },
  },
  proberAnswers: {
    feature: 'probers',
    name: 'mailproof_prober_answers_total',
    type: 'counter',
    help: 'Probes that a prober elsewhere has answered',
    labels: { prober: 'the name that the operator gave it', outcome: '`conclusive` or `unknown`' },
  },
  webhookSeconds: {
    feature: 'webhooks',
    name: 'mailproof_webhook_attempt_seconds',
    type: 'histogram',
    help: 'Attempts to deliver an event to an endpoint of a customer',
    labels: { outcome: 'the class of the status (`2xx`, `4xx` …), or why there was no answer' },
    buckets: requestSeconds,
  },
  webhooksPending: {
    feature: 'webhooks',
    name: 'mailproof_webhook_deliveries_pending',
    type: 'gauge',
    help: 'Events that wait to be delivered, or to be tried again; counted up to 10,000',
    labels: none,
  },
  credits: {
    name: 'mailproof_credits',
    type: 'gauge',
    help: 'Credits of all accounts together; available + reserved + spent = granted',
    labels: { kind: '`granted`, `available`, `reserved` or `spent`' },
  },
  frozenAccounts: {
    name: 'mailproof_frozen_accounts',
    type: 'gauge',
    help: 'Accounts that the audit froze because their ledger does not balance',
    labels: none,
  },
  storeAvailable: {
    name: 'mailproof_store_available',
    type: 'gauge',
    help: 'Whether the database takes writes; while it does not, the figures that are read from it are missing',
    labels: none,
  },
  storeFault: {
    name: 'mailproof_store_fault',
    type: 'gauge',
    help: 'Why the database takes no writes; absent while it takes them',
    labels: { fault: storeFaults.map((fault) => `\`${fault}\``).join(', ') },
  },
  workers: {
    name: 'mailproof_workers',
    type: 'gauge',
    help: 'Processes that run tasks, lists and webhooks; the same in every process',
    labels: none,
  },
  storeTransactionSeconds: {
    name: 'mailproof_store_transaction_seconds',
    type: 'histogram',
    help: 'Transactions, from their beginning to their commit or failure',
    labels: { outcome: '`committed` or `failed`' },
    buckets: transactionSeconds,
  },
  storeGroupOperations: {
    name: 'mailproof_store_group_operations',
    type: 'histogram',
    help: 'Operations of different callers that shared one transaction',
    labels: none,
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
  },
  storeWaitSeconds: {
    name: 'mailproof_store_wait_seconds',
    type: 'gauge',
    help: 'How long the write that has waited longest has been waiting for its transaction',
    labels: none,
  },
  lastBackup: {
    feature: 'backups',
    name: 'mailproof_last_backup_timestamp_seconds',
    type: 'gauge',
    help: 'When `mailproof backup` last ran, in seconds since 1970; 0 if it is not known to have run',
    labels: none,
  },
  diskFree: {
    name: 'mailproof_disk_free_bytes',
    type: 'gauge',
    help: 'Free space on the file system of the data directory',
    labels: none,
  },
  diskSize: {
    name: 'mailproof_disk_size_bytes',
    type: 'gauge',
    help: 'Size of the file system of the data directory',
    labels: none,
  },
} as const satisfies Record<string, MetricFamily>;

type Families = typeof metricFamilies;
export type FamilyKey = keyof Families;
export type KeyOfType<Type extends MetricFamily['type']> = {
  [Key in FamilyKey]: Families[Key]['type'] extends Type ? Key : never;
}[FamilyKey];
export type LabelsOf<Key extends FamilyKey> = Readonly<Record<keyof Families[Key]['labels'], string>>;
