/** Exists only if a token is set and there is no separate port. */
export const metricsPath = '/metrics';
