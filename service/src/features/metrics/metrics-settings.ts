import type { SettingTable } from '../../core/config/config.ts';
import { token, usuallyNone, wholeNumber } from '../../core/config/setting.ts';

type MetricsConfig = {
  metricsPort: number | undefined;
  metricsToken: string | undefined;
};

declare module '../../core/config/config.ts' {
  interface Config extends MetricsConfig {}
}

export const metricsSettings: SettingTable<MetricsConfig> = {
  metricsPort: {
    names: ['MAILPROOF_METRICS_PORT'],
    meaning: 'separate port for /metrics, on the address of the API (0 takes any free one)',
    ...usuallyNone,
    ...wholeNumber(0, 65_535),
  },
  metricsToken: {
    names: ['MAILPROOF_METRICS_TOKEN'],
    meaning: 'token for /metrics; without a separate port, /metrics is then on the port of the API',
    ...usuallyNone,
    ...token,
    mask: () => '***',
  },
};
