import type { FeatureHttp } from '../../../core/http/routes/http-parts.ts';
import type { WebhookHttp } from '../webhook-actions.ts';
import { addWebhookDeliveries } from './deliveries.ts';
import { addWebhooks } from './endpoints.ts';
import { documentedWebhooks } from './event-schemas.ts';
import { webhooksPath } from './webhook-paths.ts';

export const webhooksHttp = (own: WebhookHttp): FeatureHttp => ({
  tags: [
    { name: 'Webhooks', description: 'Endpoints of yours that are told of events (Standard Webhooks 1.0.0)' },
  ],
  webhooks: documentedWebhooks,
  useFor: [
    {
      youHave: 'an endpoint of yours',
      use: `\`POST ${webhooksPath}\`: it is told when a task or list is completed`,
    },
  ],
  addRoutes: (server, { parts, ...rest }) => {
    const routeParts = { ...rest, parts: { ...parts, ...own } };
    addWebhooks(server, routeParts);
    addWebhookDeliveries(server, routeParts);
  },
});
