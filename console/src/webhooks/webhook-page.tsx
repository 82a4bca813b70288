import type { RotatedSecret, Webhook } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { SecretDialog } from '../account/secret-dialog.tsx';
import { failureOf, type Failure } from '../api/failure.ts';
import { Page } from '../app/page.tsx';
import { useConsole } from '../app/use-console.ts';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { PagesEnd } from '../loading/pages-end.tsx';
import { useEvery, useLoaded } from '../loading/use-loaded.ts';
import { usePages } from '../loading/use-pages.ts';
import { WhenRead } from '../loading/when-read.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { grouped } from '../parts/format.ts';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { eventTexts, webhookState } from './webhook-texts.ts';

const lookAgainMs = 2_000;

/** One endpoint: how it does, what was sent to it, and what its owner can do. */
export function WebhookPage({ id }: { id: string }) {
  const { api, router } = useConsole();
  const { webhooks } = api.client;
  const webhook = useLoaded(() => webhooks.read(id));
  const pages = usePages(async (before) => {
    const { deliveries, next } = await webhooks.deliveries(id, { before, limit: 20 });
    return { items: deliveries, next };
  });
  const rotated = useSignal<RotatedSecret | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  // The endpoint last, so that what the last delivery did to it is seen: nobody looks again once none is pending.
  const reload = () => pages.reload().then(() => webhook.reload());
  const attempt: Attempt = async (work, afterwards = reload) => {
    try {
      failure.value = undefined;
      await work();
      await afterwards();
    } catch (error) {
      failure.value = failureOf(error);
      await reload();
    }
  };
  useEvery(
    lookAgainMs,
    () => void reload(),
    pages.items.value.some(({ state }) => state === 'pending'),
  );
  const known = webhook.value.value;
  const problem = failure.value ?? webhook.failure.value;
  const actions: WebhookActions = {
    test: () => attempt(() => webhooks.test(id)),
    switchTo: (enabled) => attempt(() => webhooks.change(id, { enabled })),
    rotate: () => attempt(async () => (rotated.value = await webhooks.rotateSecret(id))),
    remove: () =>
      attempt(
        () => webhooks.delete(id),
        () => router.go('/webhooks'),
      ),
  };
  return (
    <Page title="Webhook" lead={known?.url ?? ''}>
      <WhenRead of={[webhook, pages]}>
        {problem === undefined ? null : <FailureNotice failure={problem} />}
        {known === undefined ? null : (
          <>
            <Endpoint webhook={known} actions={actions} />
            <section class="card" aria-labelledby="deliveries-title">
              <h2 id="deliveries-title">Deliveries</h2>
              {pages.items.value.length === 0 ? null : (
                <DeliveryTable
                  deliveries={pages.items.value}
                  onSend={(deliveryId) => attempt(() => webhooks.send(id, deliveryId))}
                />
              )}
              <PagesEnd pages={pages} nothing="Nothing was sent yet." />
            </section>
          </>
        )}
      </WhenRead>
      {rotated.value === undefined ? null : (
        <SecretDialog
          title="Copy the new secret now"
          text="You will not see it again. For a day messages are signed with the old one too."
          secret={rotated.value.secret}
          what="the secret"
          onClose={() => (rotated.value = undefined)}
        />
      )}
    </Page>
  );
}

type Attempt = (work: () => Promise<unknown>, afterwards?: () => unknown) => Promise<void>;

type WebhookActions = {
  test(): Promise<void>;
  switchTo(enabled: boolean): Promise<void>;
  rotate(): Promise<void>;
  remove(): Promise<void>;
};

function Endpoint({ webhook, actions }: { webhook: Webhook; actions: WebhookActions }) {
  const isAsking = useSignal(false);
  const { enabled, events, credits_low_at: threshold } = webhook;
  const wants = events.map((event) =>
    event === 'credits.low' ? `${eventTexts[event]} (below ${grouped(threshold ?? 0)})` : eventTexts[event],
  );
  return (
    <section class="card" aria-labelledby="endpoint-title">
      <h2 id="endpoint-title">Endpoint</h2>
      <Trouble webhook={webhook} />
      <Facts
        facts={[
          ['State', webhookState(webhook)],
          ['Is told when', wants.join(', ')],
          ['Created', <Time at={webhook.created_at} />],
        ]}
      />
      <div class="buttons">
        {enabled ? (
          <button type="button" class="button button-main" onClick={() => void actions.test()}>
            Send a test
          </button>
        ) : null}
        <button type="button" class="button" onClick={() => void actions.switchTo(!enabled)}>
          {enabled ? 'Switch off' : 'Switch on'}
        </button>
        <button type="button" class="button" onClick={() => void actions.rotate()}>
          Rotate the secret
        </button>
        <button type="button" class="button button-danger" onClick={() => (isAsking.value = true)}>
          Delete
        </button>
      </div>
      {isAsking.value ? (
        <ConfirmDialog
          title="Delete this endpoint?"
          confirm="Delete endpoint"
          isDangerous
          onClose={() => (isAsking.value = false)}
          onConfirm={() => void actions.remove()}
        >
          <p>It is told nothing more, and the list of its deliveries is erased. This cannot be undone.</p>
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

function Trouble({ webhook }: { webhook: Webhook }) {
  const { disabled_because: because, failing_since: failing, enabled } = webhook;
  if (because === 'gone')
    return (
      <Notice tone="warning" title="The service switched this endpoint off">
        <p>It answered 410, which means that it wants nothing more. Switch it on if that was a mistake.</p>
      </Notice>
    );
  if (because === 'failing')
    return (
      <Notice tone="warning" title="The service switched this endpoint off">
        <p>
          Nothing could be delivered for days. Mend the endpoint, switch it on and send again what is missing.
        </p>
      </Notice>
    );
  if (!enabled || failing === null) return null;
  return (
    <Notice tone="warning" title="Messages are not getting through">
      <p>
        Every attempt since <Time at={failing} /> has failed. The service goes on trying, for about three days
        with each message.
      </p>
    </Notice>
  );
}
