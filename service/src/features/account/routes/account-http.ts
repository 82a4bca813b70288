import type { FeatureHttp } from '../../../core/http/routes/http-parts.ts';
import type { AccountHttp } from '../account-actions.ts';
import { addAccountKeys } from './account-keys.ts';
import { addAccountReads } from './account-reads.ts';

export const accountHttp = (own: AccountHttp): FeatureHttp => ({
  tags: [
    { name: 'Account', description: 'Balance, ledger, usage, tasks and keys of the account; free of charge' },
  ],
  addRoutes: (server, { parts, ...rest }) => {
    const routeParts = { ...rest, parts: { ...parts, ...own } };
    addAccountReads(server, routeParts);
    addAccountKeys(server, routeParts);
  },
});
