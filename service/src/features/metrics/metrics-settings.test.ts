import { describeSettings } from '../../../test/support/setting-promises.ts';
import { metricsSettings } from './metrics-settings.ts';

const longToken = 'a-token-that-is-long-enough-to-hold';

describeSettings(metricsSettings, {
  metricsPort: {
    usual: undefined,
    good: [
      ['0', 0],
      ['9464', 9_464],
    ],
    bad: ['x', '-1', '1.5', '1e3', '65536'],
  },
  metricsToken: { usual: undefined, good: [[longToken, longToken]], bad: ['x', longToken.slice(0, 31)] },
});
