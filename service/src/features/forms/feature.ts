import type { Feature } from '../../core/feature.ts';
import type { FormHttp } from './form-actions.ts';

export const formsFeature: Feature<FormHttp> = {
  name: 'forms',
  loadHttp: async () => (await import('./routes/forms-http.ts')).formsHttp,
};
