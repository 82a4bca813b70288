/**
 * The API's contract as types, its limits, and a client for it. The types are generated from the schemas of the
 * service, so every answer fits them.
 */
export { createClient, type Client, type ClientOptions } from './create-client.ts';
export type { AnswerNotes, CallOptions, PageOptions } from './request.ts';
export type { CompletedTask, RunTaskOptions, TaskCalls } from './task-calls.ts';
export type {
  CreateListOptions,
  ListCalls,
  ListContent,
  ListDownload,
  ListDownloadOptions,
  ListRowsOptions,
  WaitForListOptions,
} from './list-calls.ts';
export type { AccountCalls, AdminPeopleCalls, FormKeyCalls, KeyCalls, PeopleCalls } from './account-calls.ts';
export {
  createAdminClient,
  type AdminAccountCalls,
  type AdminClient,
  type AdminClientOptions,
  type AdminKeyCalls,
} from './create-admin-client.ts';
export type { ClientLimits, ClientParts, Fetch, FetchBody } from './exchange.ts';
export {
  MailproofError,
  type FailureReason,
  type AccountErrorReason,
  type BulkErrorReason,
  type ErrorBody,
  type ErrorReason,
  type ListErrorReason,
  type OperatorErrorReason,
  type PeopleErrorReason,
  type SessionErrorReason,
  type SingleErrorReason,
  type WebhookErrorReason,
} from './mailproof-error.ts';
export { matchResults } from './match-results.ts';
export type { ManyAnswer, ManyProgress, RejectionReason, VerifyManyOptions } from './verify-many.ts';
export { reasonGroups, reasonText, type ExplainedReason } from './reason-texts.ts';
export type { WebhookCalls } from './webhook-calls.ts';
export {
  verifyWebhook,
  WebhookVerificationError,
  type WebhookFault,
  type WebhookHeaders,
} from './verify-webhook.ts';
export {
  contractLimits,
  keyScopes,
  personRoles,
  type AuditAction,
  type BulkTaskStatus,
  type FormCheckResult,
  type KeyLimits,
  type KeyLimitsRequest,
  type KeyMode,
  type KeyScope,
  type PersonRole,
  type StatusCounts,
  type VerificationStatus,
  type WantedEventType,
  type WebhookAttemptOutcome,
  type WebhookEvent,
  type WebhookEventType,
  type WebhookListData,
} from './contract.ts';
export type * from './account-types.ts';
export type * from './console-types.ts';
export type * from './list-types.ts';
export type * from './verification-types.ts';
export type * from './webhook-types.ts';
