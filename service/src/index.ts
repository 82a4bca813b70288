/** The parts of the service that the command line and tests use. main.ts puts the running service together. */
export {
  createAccount,
  type Account,
  type AccountRequest,
  type Plan,
} from './core/keys/accounts/create-account.ts';
export { createAccountWithKeys } from './core/keys/accounts/create-account-with-keys.ts';
export { ensureFirstAccount, type FirstAccountAnswer } from './core/keys/accounts/ensure-first-account.ts';
export { listAccounts } from './features/operator/find-accounts.ts';
export { setRate } from './core/keys/accounts/set-rate.ts';
export { setPlan, type SetPlanAnswer } from './core/keys/accounts/set-plan.ts';
export { mostCredits, type Balance } from './core/ledger/credits.ts';
export { grantCredits, type GrantCreditsAnswer } from './core/ledger/grant-credits.ts';
export { unfreezeAccount } from './core/ledger/unfreeze-account.ts';
export { showCredits, type ShowCreditsAnswer } from './core/ledger/read-balance.ts';
export type { Violation } from './core/ledger/violation.ts';
export { openStore, type OpenStoreOptions } from './start/open-store.ts';
export { readSchemaVersion, type PlannedStep, type UpgradePlan } from './core/store/migrations/migrate.ts';
export { lookAtUpgrade } from './start/look-at-upgrade.ts';
export { storeFile } from './core/store/sqlite/open-sqlite-store.ts';
export { proveStoreWritable, type WriteProof } from './start/prove-store-writable.ts';
export { readLivingRoles } from './start/read-living-roles.ts';
export { endRests, listRests, type ListedRest } from './features/operator/rests.ts';
export { countWorkers } from './core/upkeep/worker-watch.ts';
export { lookAtSqlite } from './core/store/sqlite/look-at-sqlite.ts';
export { lookAtPostgres } from './core/store/postgres/look-at-postgres.ts';
export { refusalLimitTable } from './core/http/pipeline/pace-refusals.ts';
export { sandboxLimitTable } from './core/verify/sandbox/create-sandbox.ts';
export { workbookLimitTable } from './features/lists/reading/workbook-limits.ts';
export { webhookLimitTable } from './features/webhooks/webhook-limits.ts';
export { oidcLimitTable } from './features/people/oidc/create-provider.ts';
export { peopleLimitTable } from './features/people/people.ts';
export { postgresLimitTable } from './core/store/postgres/postgres-limits.ts';
export type { Store } from './core/store/store.ts';
export { StoreOpenError } from './core/store/store-open-error.ts';
export { StoreUnavailableError } from './core/store/store-unavailable-error.ts';
export { createWallClock, type WallClock } from './core/store/wall-clock.ts';
export { changeKey, type ChangeKeyAnswer } from './core/keys/change-key.ts';
export { deleteKey, type DeleteKeyAnswer } from './core/keys/delete-key.ts';
export { issueKey, type IssuedKey, type IssueKeyAnswer } from './core/keys/issue-key.ts';
export { listKeys, type ListedKey } from './core/keys/list-keys.ts';
export { readKeyLimits, type LimitsWish } from './core/keys/read-key-limits.ts';
export { listEgress, type ListedEgress } from './features/probers/list-egress.ts';
export { listProbers, type ListedProber } from './features/probers/list-probers.ts';
export { addProber, removeProber } from './features/probers/prober-records.ts';
export { createFormKey, deleteFormKey, listFormKeys, type FormKey } from './features/forms/form-keys.ts';
export { readOrigin } from './features/forms/read-origin.ts';
export { audit, auditAccount } from './start/whole-store.ts';
export { copyStore, restore, verifyBackup } from './start/whole-backups.ts';
export type { AuditReport } from './core/upkeep/audit.ts';
export { backUp } from './features/backups/back-up.ts';
export type { BackupManifest } from './features/backups/backup-file.ts';
export type { CopyAnswer } from './features/backups/copy-store.ts';
export { createMetrics } from './features/metrics/create-metrics.ts';
export { metricFamilies, type MetricFamily } from './features/metrics/metric-families.ts';
export { hasOwner, readEgress, type EgressAddress } from './features/probers/egress-addresses.ts';
export { readUntrustedPeer } from './features/operator/proxy-notice.ts';
export { readDoubtedProviders } from './core/verify/engine-state/read-doubted-providers.ts';
export { readRestingRoutes, type RestingRoute } from './core/verify/engine-state/read-resting-routes.ts';
