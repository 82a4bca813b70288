import type { Actor } from '../../core/ledger/record-change.ts';
import type { Store } from '../../core/store/store.ts';
import type { Tx } from '../../core/store/statement.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  rotateSecret,
  sendAgain,
  sendTest,
  type ChangeWebhookAnswer,
  type CreateWebhookAnswer,
  type DeleteWebhookAnswer,
  type NewWebhook,
  type RotateSecretAnswer,
  type SendAgainAnswer,
  type WebhookOrder,
  type WebhookWish,
} from './change-webhook.ts';
import {
  findWebhook,
  readDeliveries,
  readWebhooks,
  type StoredDelivery,
  type StoredWebhook,
} from './read-webhooks.ts';
import { portOf } from '../../core/http/outgoing/open-connection.ts';
import { webhookLimits } from './webhook-limits.ts';

/** The actions of an account on its webhooks, for the API and the command line. */
export type WebhookActions = {
  list(viewer: Viewer): Promise<StoredWebhook[]>;
  read(place: WebhookPlace): Promise<StoredWebhook | undefined>;
  create(owner: Owner, webhook: WebhookSettings): Promise<CreateWebhookAnswer | InvalidUrl>;
  change(owner: Owner, webhookId: string, wish: WebhookWish): Promise<ChangeWebhookAnswer | InvalidUrl>;
  remove(owner: Owner, webhookId: string): Promise<DeleteWebhookAnswer>;
  rotateSecret(owner: Owner, webhookId: string): Promise<RotateSecretAnswer>;
  sendTest(owner: Owner, webhookId: string): Promise<SendAgainAnswer>;
  sendAgain(owner: Owner, webhookId: string, deliveryId: string): Promise<SendAgainAnswer>;
  /** Returns deliveries, newest first; `undefined` if there is no such endpoint. */
  deliveries(
    place: WebhookPlace,
    page: { limit: number; before: string | undefined },
  ): Promise<{ deliveries: StoredDelivery[]; next: string | undefined } | undefined>;
};

/** Its routes need it. */
export type WebhookHttp = { webhooks: WebhookActions };

/**
 * A caller that reads. Endpoints belong to live mode: only live keys create them, and test keys see none. They get
 * events of both modes; `mode` in the event tells them apart.
 */
type Viewer = { accountId: string; mode: 'live' | 'test' };

type WebhookPlace = Viewer & { webhookId: string };

type WebhookSettings = Omit<NewWebhook, 'accountId' | 'actor' | 'now'>;

/** The account of the endpoints, and the actor who changes them. */
export type Owner = { accountId: string; actor: Actor };

type InvalidUrl = { kind: 'invalid_webhook_url' };

type WebhookActionsParts = {
  store: Pick<Store, 'read' | 'writeAlone'>;
  wallClock: WallClock;
  /** Whether the operator has opened a block in which `http` is allowed. */
  httpAllowed: boolean;
  /** Tells the workers that a delivery is due. */
  wake: () => void;
};

export function createWebhookActions(parts: WebhookActionsParts): WebhookActions {
  const { store, wallClock, wake } = parts;
  const write = async <Answer>(
    { accountId, actor }: Owner,
    webhookId: string,
    work: (tx: Tx, order: WebhookOrder) => Promise<Answer>,
  ): Promise<Answer> => {
    const answer = await store.writeAlone(
      (tx) => work(tx, { accountId, actor, webhookId, now: wallClock.now() }),
      accountId,
    );
    wake();
    return answer;
  };
  const find = async (place: WebhookPlace) =>
    place.mode === 'live' ? findWebhook(store.read, place) : undefined;
  const urlOf = (text: string) => readEndpointUrl(text, parts);
  return {
    list: async ({ accountId, mode }) => (mode === 'live' ? readWebhooks(store.read, accountId) : []),
    read: find,
    create: async ({ accountId, actor }, webhook) => {
      const url = urlOf(webhook.url);
      if (url === undefined) return { kind: 'invalid_webhook_url' };
      const now = wallClock.now();
      return store.writeAlone(
        (tx) => createWebhook(tx, { ...webhook, url, accountId, actor, now }),
        accountId,
      );
    },
    change: async (owner, webhookId, wish) => {
      const url = wish.url === undefined ? undefined : urlOf(wish.url);
      if (wish.url !== undefined && url === undefined) return { kind: 'invalid_webhook_url' };
      return write(owner, webhookId, (tx, order) => changeWebhook(tx, order, { ...wish, url }));
    },
    remove: (owner, webhookId) => write(owner, webhookId, deleteWebhook),
    rotateSecret: (owner, webhookId) => write(owner, webhookId, rotateSecret),
    sendTest: (owner, webhookId) => write(owner, webhookId, sendTest),
    sendAgain: (owner, webhookId, deliveryId) =>
      write(owner, webhookId, (tx, order) => sendAgain(tx, order, deliveryId)),
    deliveries: async (place, { limit, before }) =>
      (await find(place)) && readDeliveries(store.read, { ...place, limit, before }),
  };
}

/**
 * Reads the URL of an endpoint: `https`, or `http` if the operator has opened a block. Without TLS only addresses in
 * that block are dialled (see send-request.ts). The address is judged at every attempt, not here: a name may point
 * elsewhere by then.
 */
export function readEndpointUrl(text: string, { httpAllowed }: { httpAllowed: boolean }): string | undefined {
  if (text.length > webhookLimits.urlCharacters || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && httpAllowed)) return undefined;
  // The signature authenticates messages; a password in a URL would be visible to everyone who sees the endpoint.
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  // Low ports other than the web's belong to other services.
  const port = portOf(url);
  if (port !== 80 && port !== 443 && port < 1_024) return undefined;
  return url.href;
}
