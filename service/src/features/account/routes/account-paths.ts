export const accountPath = '/api/v1/account';
export const accountLedgerPath = '/api/v1/account/ledger';
export const accountUsagePath = '/api/v1/account/usage';
export const accountTasksPath = '/api/v1/account/tasks';
export const accountKeysPath = '/api/v1/account/keys';
export const accountKeyPath = '/api/v1/account/keys/:keyId';
