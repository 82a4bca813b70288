/**
 * The API's contract as types, and the numbers it promises. What the service answers is checked
 * against these when it is compiled; what a client reads may rely on them.
 */
export type { VerificationRequest, VerificationResult, VerificationStatus } from './verification-result.ts';
export type {
  BulkResultRecord,
  BulkTaskCreated,
  BulkTaskProgress,
  BulkTaskRequest,
  BulkTaskStatus,
} from './bulk-task.ts';
export type { Explanation } from './explanation.ts';
export type { BulkErrorReason, ErrorBody, ErrorReason, SingleErrorReason } from './error-body.ts';
export { contractLimits } from './contract-limits.ts';
