import type { FeatureHttp } from '../../../core/http/routes/http-parts.ts';
import type { MetricsHttp } from '../metrics-parts.ts';
import { metricsPath } from './metrics-paths.ts';
import { addMetrics } from './metrics.ts';

export const metricsHttp = (own: MetricsHttp): FeatureHttp => ({
  hides: (url) => own.metrics === undefined && url.startsWith(metricsPath),
  addRoutes: (server, { parts, ...rest }) => addMetrics(server, { ...rest, parts: { ...parts, ...own } }),
});
