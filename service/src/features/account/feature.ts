import type { Feature } from '../../core/feature.ts';
import type { AccountHttp } from './account-actions.ts';

export const accountFeature: Feature<AccountHttp> = {
  name: 'account',
  loadHttp: async () => (await import('./routes/account-http.ts')).accountHttp,
};
