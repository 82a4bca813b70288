import type { SettingTable } from '../../core/config/config.ts';
import { token, usuallyNone, wholeNumber } from '../../core/config/setting.ts';

export type MetricsConfig = {
  metricsPort: number | undefined;
  metricsToken: string | undefined;
};

declare module '../../core/config/config.ts' {
  interface Config extends MetricsConfig {}
}

export const metricsSettings: SettingTable<MetricsConfig> = {
  metricsPort: {
    names: ['MAILPROOF_METRICS_PORT'],
    meaning: 'port of its own for /metrics, on the address of the API (0 takes any free one)',
    ...usuallyNone,
    ...wholeNumber(0, 65_535),
  },
  metricsToken: {
    names: ['MAILPROOF_METRICS_TOKEN'],
    meaning: 'what /metrics is asked for with; without a port of its own it is then on that of the API',
    ...usuallyNone,
    ...token,
    mask: () => '***',
  },
};
