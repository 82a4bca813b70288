import type { Feature } from '../../core/feature.ts';
import type { ConsoleHttp } from './console-files.ts';

export const consoleFeature: Feature<ConsoleHttp> = {
  name: 'console',
  loadHttp: async () => (await import('./console-http.ts')).consoleHttp,
};
