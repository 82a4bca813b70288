import type { FeatureHttp } from '../../../core/http/routes/http-parts.ts';
import type { ProberHttp } from '../prober-centre.ts';
import { addProbers } from './probers.ts';

export const probersHttp = (own: ProberHttp): FeatureHttp => ({
  tags: [
    { name: 'Probers', description: 'For probers: lease questions to mail hosts, report what was said' },
  ],
  securitySchemes: {
    proberSecret: {
      type: 'http',
      scheme: 'bearer',
      description: 'The secret that a prober made itself: `mp_prober_…`; known once it has enrolled',
    },
  },
  addRoutes: (server, { parts, ...rest }) => addProbers(server, { ...rest, parts: { ...parts, ...own } }),
});
