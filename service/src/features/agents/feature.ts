import type { Feature } from '../../core/feature.ts';

export const agentsFeature: Feature<unknown> = {
  name: 'agents',
  loadHttp: async () => (await import('./routes/agents-http.ts')).agentsHttp,
};
