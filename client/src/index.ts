/**
 * The API's contract as types with the numbers it promises, and a client for it. What the service answers is
 * checked against these types when it is compiled; what a client reads may rely on them.
 */
export { createClient, type Client, type ClientOptions } from './create-client.ts';
export type { AnswerNotes } from './read-answer.ts';
export type { TaskCalls } from './task-calls.ts';
export type {
  CreateListOptions,
  ListCalls,
  ListContent,
  ListDownload,
  ListDownloadOptions,
  ListRowsOptions,
} from './list-calls.ts';
export type { WaitForListOptions } from './wait-for-list.ts';
export type { AccountCalls, FormKeyCalls, KeyCalls } from './account-calls.ts';
export type { CallOptions, PageOptions } from './ask.ts';
export {
  createAdminClient,
  type AdminAccountCalls,
  type AdminClient,
  type AdminClientOptions,
  type AdminKeyCalls,
} from './create-admin-client.ts';
export type { AdminPeopleCalls, PeopleCalls } from './people-calls.ts';
export type { FormCheckResult, FormKey, FormKeyList, FormKeyRequest } from './form-check.ts';
export { keyScopes } from './account.ts';
export type { ClientLimits } from './client-limits.ts';
export type { ClientParts, Fetch, FetchBody } from './client-parts.ts';
export { MailproofError, type FailureReason } from './mailproof-error.ts';
export { matchResults } from './match-results.ts';
export type { CompletedTask, RunTaskOptions } from './run-task.ts';
export type { ManyAnswer, RejectionReason } from './in-batches.ts';
export type { ManyProgress } from './run-progress.ts';
export type { VerifyManyOptions } from './verify-many.ts';
export type { VerificationRequest, VerificationResult, VerificationStatus } from './verification-result.ts';
export type {
  BulkResultRecord,
  BulkTaskCreated,
  BulkTaskProgress,
  BulkTaskRequest,
  BulkTaskStatus,
} from './bulk-task.ts';
export type {
  Account,
  AccountCredits,
  AccountKey,
  AccountTask,
  CreatedKey,
  KeyList,
  KeyMode,
  KeyChange,
  KeyLimits,
  KeyLimitsRequest,
  KeyRequest,
  KeyScope,
  LedgerEntry,
  LedgerPage,
  TaskPage,
  Usage,
  UsageDay,
} from './account.ts';
export type {
  AdminAccount,
  AdminAccountPage,
  AdminAccountRequest,
  AdminGrantRequest,
  AdminAccountChange,
  AdminRequestTrace,
  AuditAction,
  AuditLogEntry,
  AuditLogPage,
  EndedRests,
  ServiceHealth,
  StatusCounts,
  AdminEgressAddress,
  AdminProber,
  AdminProberList,
} from './admin.ts';
export type {
  ListChange,
  DomainSuggestion,
  ListColumn,
  ListErrorReason,
  ListPage,
  ListRecord,
  ListRow,
  ListRowPage,
  ListStart,
} from './list-record.ts';
export { personRoles } from './people.ts';
export type {
  CreatedInvitation,
  Invitation,
  InvitationRequest,
  PeopleErrorReason,
  PeopleList,
  Person,
  PersonChange,
  PersonRole,
} from './people.ts';
export type {
  ProviderRedirect,
  ProviderSignIn,
  SessionPerson,
  SessionState,
  SignIn,
  SignInOptions,
} from './session.ts';
export type { Explanation } from './explanation.ts';
export { reasonGroups, reasonText, type ExplainedReason } from './reason-texts.ts';
export type {
  AccountErrorReason,
  BulkErrorReason,
  ErrorBody,
  ErrorReason,
  OperatorErrorReason,
  SessionErrorReason,
  SingleErrorReason,
} from './error-body.ts';
export type { WebhookCalls } from './webhook-calls.ts';
export {
  verifyWebhook,
  WebhookVerificationError,
  type WebhookFault,
  type WebhookHeaders,
} from './verify-webhook.ts';
export { contractLimits } from './contract-limits.ts';
export type {
  CreatedWebhook,
  RotatedSecret,
  WantedEventType,
  Webhook,
  WebhookAttempt,
  WebhookAttemptOutcome,
  WebhookChange,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookErrorReason,
  WebhookEvent,
  WebhookEventType,
  WebhookList,
  WebhookListData,
  WebhookRequest,
} from './webhook.ts';
