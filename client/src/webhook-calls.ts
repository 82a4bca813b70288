import {
  createAsk,
  holdsList,
  queryOf,
  request,
  type CallOptions,
  type Connection,
  type PageOptions,
} from './request.ts';
import type {
  CreatedWebhook,
  RotatedSecret,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookList,
  WebhookRequest,
} from './webhook-types.ts';

/** The endpoints that the account has told the service of. All of it is free of charge. */
export type WebhookCalls = {
  list(options?: CallOptions): Promise<WebhookList>;
  read(webhookId: string, options?: CallOptions): Promise<Webhook>;
  /** The secret is in the answer and nowhere else. */
  create(webhook: WebhookRequest, options?: CallOptions): Promise<CreatedWebhook>;
  change(webhookId: string, change: WebhookChange, options?: CallOptions): Promise<Webhook>;
  delete(webhookId: string, options?: CallOptions): Promise<void>;
  /** The new secret is in the answer and nowhere else; the one before is signed with for a day more. */
  rotateSecret(webhookId: string, options?: CallOptions): Promise<RotatedSecret>;
  /** Has a test message sent. */
  test(webhookId: string, options?: CallOptions): Promise<WebhookDelivery>;
  /** The newest first; `before` is `next` of the page before. */
  deliveries(webhookId: string, options?: PageOptions): Promise<WebhookDeliveryPage>;
  /** Has a message sent again, under the same id. */
  send(webhookId: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery>;
};

const webhooksPath = '/api/v1/webhooks';

export function createWebhookCalls(connection: Connection): WebhookCalls {
  const ask = createAsk(connection);
  return {
    list: ({ signal } = {}) =>
      ask({ method: 'GET', path: webhooksPath, signal }, holdsList<WebhookList>('webhooks')),
    read: (id, { signal } = {}) => ask({ method: 'GET', path: pathOf(id), signal }, isWebhook),
    create: (body, { signal } = {}) =>
      ask({ method: 'POST', path: webhooksPath, body, signal }, isCreatedWebhook),
    change: (id, body, { signal } = {}) =>
      ask({ method: 'PATCH', path: pathOf(id), body, signal }, isWebhook),
    delete: async (id, { signal } = {}) => {
      await request({ method: 'DELETE', path: pathOf(id), signal }, connection);
    },
    rotateSecret: (id, { signal } = {}) =>
      ask({ method: 'POST', path: `${pathOf(id)}/rotate-secret`, signal }, isRotatedSecret),
    test: (id, { signal } = {}) => ask({ method: 'POST', path: `${pathOf(id)}/test`, signal }, isDelivery),
    deliveries: (id, { signal, ...page } = {}) =>
      ask(
        { method: 'GET', path: `${pathOf(id)}/deliveries${queryOf(page)}`, signal },
        holdsList<WebhookDeliveryPage>('deliveries'),
      ),
    send: (id, deliveryId, { signal } = {}) => {
      const path = `${pathOf(id)}/deliveries/${encodeURIComponent(deliveryId)}/send`;
      return ask({ method: 'POST', path, signal }, isDelivery);
    },
  };
}

function pathOf(webhookId: string): string {
  return `${webhooksPath}/${encodeURIComponent(webhookId)}`;
}

function isWebhook(body: object): body is Webhook {
  return 'webhook_id' in body && 'events' in body;
}

function isCreatedWebhook(body: object): body is CreatedWebhook {
  return isWebhook(body) && 'secret' in body;
}

function isRotatedSecret(body: object): body is RotatedSecret {
  return 'secret' in body && 'previous_secret_until' in body;
}

function isDelivery(body: object): body is WebhookDelivery {
  return 'delivery_id' in body && 'attempts' in body;
}
