import type { AdminToken } from '../../core/keys/admin-token.ts';
import type { Exposition } from './create-exposition.ts';

export type MetricsHttp = {
  /** The figures for Prometheus, if they are served on the API's port. */
  metrics?: { token: AdminToken; exposition: Exposition } | undefined;
};
