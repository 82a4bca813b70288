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
import { readEndpointUrl } from './read-endpoint-url.ts';
import {
  findWebhook,
  readDeliveries,
  readWebhooks,
  type StoredDelivery,
  type StoredWebhook,
} from './read-webhooks.ts';

/** What an account may see and do of its webhooks, over the API and the command line alike. */
export type WebhookActions = {
  list(viewer: Viewer): Promise<StoredWebhook[]>;
  read(place: WebhookPlace): Promise<StoredWebhook | undefined>;
  create(owner: Owner, webhook: WebhookSettings): Promise<CreateWebhookAnswer | InvalidUrl>;
  change(owner: Owner, webhookId: string, wish: WebhookWish): Promise<ChangeWebhookAnswer | InvalidUrl>;
  remove(owner: Owner, webhookId: string): Promise<DeleteWebhookAnswer>;
  rotateSecret(owner: Owner, webhookId: string): Promise<RotateSecretAnswer>;
  sendTest(owner: Owner, webhookId: string): Promise<SendAgainAnswer>;
  sendAgain(owner: Owner, webhookId: string, deliveryId: string): Promise<SendAgainAnswer>;
  /** The newest first; `undefined` where there is no such endpoint. */
  deliveries(
    place: WebhookPlace,
    page: { limit: number; before: string | undefined },
  ): Promise<{ deliveries: StoredDelivery[]; next: string | undefined } | undefined>;
};

/** Its routes need it. */
export type WebhookHttp = { webhooks: WebhookActions };

/**
 * Who looks. Endpoints belong to live mode: only live keys make them, and a test key sees none. They are told of
 * events in both modes; `mode` in the event says which.
 */
type Viewer = { accountId: string; mode: 'live' | 'test' };

type WebhookPlace = Viewer & { webhookId: string };

type WebhookSettings = Omit<NewWebhook, 'accountId' | 'actor' | 'now'>;

/** Whose endpoints they are, and who changes them. */
export type Owner = { accountId: string; actor: Actor };

export type InvalidUrl = { kind: 'invalid_webhook_url' };

type WebhookActionsParts = {
  store: Pick<Store, 'read' | 'writeAlone'>;
  wallClock: WallClock;
  /** Whether the operator has opened a block, in which `http` may be spoken. */
  httpAllowed: boolean;
  /** Tells the workers that there is something to send. */
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
