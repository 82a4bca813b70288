import type { RotatedSecret, Webhook, WebhookDelivery } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { type Failure, failureOf } from '../../api/call.ts';
import { useEvery, useLoaded, usePages } from '../../app/loading.ts';
import { FailureNotice, Page, PagesEnd, SecretDialog, WhenRead } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { ConfirmDialog, Dialog, Facts, Notice, TableHead, Time } from '../../parts/elements.tsx';
import { counted, grouped } from '../../parts/format.ts';
import { eventTexts, outcomeText, webhookState } from './webhooks-page.tsx';

const lookAgainMs = 2_000;

/** One endpoint: its state, its deliveries, and actions for its owner. */
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
  // The endpoint is read last, so that it shows the effect of the last delivery: without pending ones there is no
  // reload.
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
              <PagesEnd pages={pages} nothing="No deliveries yet." />
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
          ['Events', wants.join(', ')],
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
          <p>It gets no more messages, and the list of its deliveries is erased. This cannot be undone.</p>
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
        <p>It returned 410 Gone, so we stopped. Switch it on if that was a mistake.</p>
      </Notice>
    );
  if (because === 'failing')
    return (
      <Notice tone="warning" title="The service switched this endpoint off">
        <p>
          Nothing could be delivered for days. Repair the endpoint, switch it on, and send the missing
          messages again.
        </p>
      </Notice>
    );
  if (!enabled || failing === null) return null;
  return (
    <Notice tone="warning" title="Messages are not getting through">
      <p>
        Every attempt since <Time at={failing} /> has failed. The service retries each message for about three
        days.
      </p>
    </Notice>
  );
}

type DeliveryTableProps = {
  deliveries: readonly WebhookDelivery[];
  onSend: (deliveryId: string) => Promise<void>;
};

/** Deliveries with event, state and time; each opens in a dialog. */
function DeliveryTable({ deliveries, onSend }: DeliveryTableProps) {
  const shown = useSignal<WebhookDelivery | undefined>(undefined);
  return (
    <>
      <table>
        <caption class="visually-hidden">Deliveries, newest first</caption>
        <TableHead columns={['Event', 'State', ['Attempts', 'number wide-only'], ['Time', 'wide-only']]} />
        <tbody>
          {deliveries.map((delivery) => (
            <tr key={delivery.delivery_id}>
              <th scope="row">
                <button type="button" class="link-button" onClick={() => (shown.value = delivery)}>
                  {delivery.type}
                </button>
                <span class="narrow-only hint">
                  <Time at={delivery.created_at} />
                </span>
              </th>
              <td>
                <DeliveryState delivery={delivery} />
              </td>
              <td class="number wide-only">{delivery.attempts.length}</td>
              <td class="wide-only">
                <Time at={delivery.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.value === undefined ? null : (
        <DeliveryDialog delivery={shown.value} onSend={onSend} onClose={() => (shown.value = undefined)} />
      )}
    </>
  );
}

const states = { pending: 'Waiting', delivered: 'Delivered', failed: 'Given up' } as const;

function DeliveryState({ delivery: { state, attempts } }: { delivery: WebhookDelivery }) {
  const last = attempts.at(-1);
  return (
    <>
      {state === 'pending' && attempts.length > 0 ? 'Trying again' : states[state]}
      {last === undefined || state === 'delivered' ? null : <span class="hint"> {outcomeText(last)}</span>}
    </>
  );
}

type DeliveryDialogProps = {
  delivery: WebhookDelivery;
  onSend: DeliveryTableProps['onSend'];
  onClose: () => void;
};

function DeliveryDialog({ delivery, onSend, onClose }: DeliveryDialogProps) {
  const { event_id: id, attempts, response, body, next_attempt_at: next, delivery_id: deliveryId } = delivery;
  return (
    <Dialog title={delivery.type} onClose={onClose}>
      <p class="hint">
        <code>{id}</code>
      </p>
      <h3>{counted(attempts.length, 'attempt')}</h3>
      <ol>
        {attempts.map((attempt) => (
          <li key={attempt.at}>
            <Time at={attempt.at} /> {outcomeText(attempt)}
          </li>
        ))}
      </ol>
      {next === null ? null : (
        <p class="hint">
          Next attempt: <Time at={next} />
        </p>
      )}
      <h3>Message</h3>
      <p class="secret">
        <code>{body}</code>
      </p>
      {response === null || response === '' ? null : (
        <>
          <h3>Answer</h3>
          <p class="secret">
            <code>{response}</code>
          </p>
        </>
      )}
      <div class="buttons">
        <button
          type="button"
          class="button button-main"
          onClick={() => void onSend(deliveryId).then(onClose)}
        >
          Send again
        </button>
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
