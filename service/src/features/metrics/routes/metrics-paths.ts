/** Here only where a token for it is set and it has no port of its own. */
export const metricsPath = '/metrics';
