import type { AccountKey, AccountTask, KeyChange } from './account-types.ts';
import type { AuditLogEntry, ServiceHealth } from './console-types.ts';
import type { BulkTaskProgress, VerificationResult } from './verification-types.ts';
import type {
  CreditsLowEvent,
  ListCompletedEvent,
  ListPausedEvent,
  ListPausedEventData,
  TaskCompletedEvent,
  Webhook,
  WebhookAttempt,
  WebhookTestEvent,
} from './webhook-types.ts';

/** The largest requests that the service accepts. Characters are Unicode code points. */
export const contractLimits = {
  /** Characters of one address. */
  emailCharacters: 254,
  /** Addresses of one bulk task. */
  bulkEmails: 100,
  /** Characters of a bulk task's name. */
  nameCharacters: 25,
  /** Bytes of a request body. */
  bodyBytes: 262_144,
  /** Characters of a key's name. */
  keyNameCharacters: 50,
  /** Blocks of IP addresses that a key may be used from. */
  keyAllowedIps: 50,
  /** Entries of one page, most and usual. */
  pageEntries: 100,
  pageEntriesUsual: 50,
  /** Days of use, most and usual. */
  usageDays: 90,
  usageDaysUsual: 30,
  /** Characters of an `Idempotency-Key`. */
  idempotencyKeyCharacters: 255,
  /** Characters of a list's name. */
  listNameCharacters: 200,
  /** Rows of one page of a list, most and usual. */
  listPageRows: 1_000,
  listPageRowsUsual: 100,
  /** Characters of an account's name. */
  accountNameCharacters: 200,
  /** Of why an account was unfrozen. */
  unfreezeReasonCharacters: 500,
  /** Credits of one grant, and of one account in all. */
  credits: 1_000_000_000_000,
  /** Hours over which verdicts are counted, most and usual. */
  healthHours: 720,
  healthHoursUsual: 24,
} as const;

/** The scopes of keys, in the order in which keys list them. */
export const keyScopes = ['verify', 'tasks', 'lists', 'account:read', 'account:write'] as const;

export type KeyScope = (typeof keyScopes)[number];

/**
 * The roles of people. An owner can do everything. A member can do all but change people, keys and webhooks. A viewer
 * can only read.
 */
export const personRoles = ['owner', 'member', 'viewer'] as const;

export type PersonRole = (typeof personRoles)[number];

/** The outcome of a verification. Every status but `unknown` is charged. */
export type VerificationStatus = VerificationResult['status'];

export type BulkTaskStatus = BulkTaskProgress['status'];

export type KeyMode = AccountTask['mode'];

/** The limits of a key; null stands for no limit. */
export type KeyLimits = Pick<AccountKey, 'scopes' | 'expires_at' | 'allowed_ips' | 'credits_per_day'>;

export type KeyLimitsRequest = Omit<KeyChange, 'name'>;

/** The answer to a form about an address, by its syntax, the lists and DNS. Its mail host is never asked. */
export type FormCheckResult =
  /** `unchecked`: there was no answer in time. */
  | { result: 'ok' | 'undeliverable' | 'disposable' | 'unchecked' }
  | {
      result: 'typo';
      /** The address with the domain that was most likely meant. */
      did_you_mean: string;
    };

/** A message to an endpoint of yours: ids, counts and the time, never an address. */
export type WebhookEvent =
  TaskCompletedEvent | ListCompletedEvent | ListPausedEvent | CreditsLowEvent | WebhookTestEvent;

export type WebhookEventType = WebhookEvent['type'];

/** The events that an endpoint can ask for. */
export type WantedEventType = Webhook['events'][number];

export type WebhookListData = ListPausedEventData;

/** The outcome of one attempt: `delivered` is an answer of 2xx, `answered` any other. */
export type WebhookAttemptOutcome = WebhookAttempt['outcome'];

export type AuditAction = AuditLogEntry['action'];

/** Counts by status. A status that did not occur is missing. */
export type StatusCounts = ServiceHealth['verdicts'][number]['counts'];
