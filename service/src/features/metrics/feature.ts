import type { Feature } from '../../core/feature.ts';
import type { MetricsHttp } from './metrics-parts.ts';

export const metricsFeature: Feature<MetricsHttp> = {
  name: 'metrics',
  loadHttp: async () => (await import('./routes/metrics-http.ts')).metricsHttp,
};
