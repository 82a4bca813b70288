/** The service's door for the command line and for tests. What runs by itself is put together in main.ts. */
export { createAccount, type Account, type AccountRequest, type Plan } from './accounts/create-account.ts';
export { ensureFirstAccount, type FirstAccountAnswer } from './accounts/ensure-first-account.ts';
export { listAccounts } from './accounts/list-accounts.ts';
export { setPlan, type SetPlanAnswer } from './accounts/set-plan.ts';
export { mostCredits, type Balance } from './credits/credits.ts';
export { grantCredits, type GrantCreditsAnswer } from './credits/grant-credits.ts';
export { showCredits, type ShowCreditsAnswer } from './credits/show-credits.ts';
export type { Violation } from './credits/violation.ts';
export { openStore, storeFile, type OpenStoreOptions } from './db/open-store.ts';
export type { Store } from './db/store.ts';
export { StoreOpenError } from './db/store-open-error.ts';
export { StoreUnavailableError } from './db/store-unavailable-error.ts';
export { createWallClock, type WallClock } from './db/wall-clock.ts';
export { deleteKey, type DeleteKeyAnswer } from './keys/delete-key.ts';
export { issueKey, type IssuedKey, type IssueKeyAnswer } from './keys/issue-key.ts';
export { listKeys, type ListedKey } from './keys/list-keys.ts';
export { audit, type AuditReport } from './upkeep/audit.ts';
export { readRestingRoutes, type RestingRoute } from './upkeep/read-resting-routes.ts';
