import type { Feature } from '../../core/feature.ts';
import type { AboutHttp } from './about-host.ts';

export const aboutFeature: Feature<AboutHttp> = {
  name: 'about',
  loadHttp: async () => (await import('./about-http.ts')).aboutHttp,
};
