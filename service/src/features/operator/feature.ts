import type { Feature } from '../../core/feature.ts';
import type { OperatorHttp } from './operator-actions.ts';

export const operatorFeature: Feature<OperatorHttp> = {
  name: 'operator',
  loadHttp: async () => (await import('./routes/operator-http.ts')).operatorHttp,
};
