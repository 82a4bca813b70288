import type {
  CreatedWebhook,
  WantedEventType,
  Webhook,
  WebhookAttempt,
  WebhookRequest,
} from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { type Failure, failureOf } from '../../api/call.ts';
import { pathTo } from '../../app/base-path.ts';
import { useLoaded } from '../../app/loading.ts';
import { FailureNotice, Page, SecretDialog, WhenRead } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import type { AccountCard } from '../../core/account/account-page.tsx';
import { TableHead } from '../../parts/elements.tsx';

/** Texts of the events. */
export const eventTexts: Record<WantedEventType, string> = {
  'task.completed': 'A task is completed',
  'list.completed': 'A list is completed',
  'list.paused': 'A list is paused',
  'credits.low': 'Credits run low',
};

export function webhookState({
  enabled,
  disabled_because: because,
  failing_since: failing,
}: Webhook): string {
  if (!enabled) return because === 'owner' ? 'Off' : 'Switched off';
  return failing === null ? 'On' : 'Failing';
}

const outcomeTexts: Record<WebhookAttempt['outcome'], string> = {
  delivered: 'Delivered',
  answered: 'Refused',
  timeout: 'No answer within 15 seconds',
  connection_failed: 'No connection',
  closed_early: 'Connection closed without an answer',
  tls_failed: 'TLS failed: check the certificate',
  name_not_found: 'The host name does not exist',
  dns_failed: 'The host name could not be looked up',
  forbidden_address: 'The host name points to an address that the service does not contact',
  https_required: 'Only https may be used for this address',
};

export function outcomeText({ outcome, status }: Pick<WebhookAttempt, 'outcome' | 'status'>): string {
  return status === null ? outcomeTexts[outcome] : `${outcomeTexts[outcome]} (HTTP ${status})`;
}

export const webhooksCard: AccountCard = {
  feature: 'webhooks',
  after: 'keys',
  useCard: () => ({ reads: [], draw: () => <WebhooksLink /> }),
};

function WebhooksLink() {
  return (
    <section class="card" aria-labelledby="webhooks-title">
      <div class="card-head">
        <h2 id="webhooks-title">Webhooks</h2>
        <a href={pathTo('/webhooks')}>Manage webhooks</a>
      </div>
      <p class="hint">Calls to your own systems when a task or a list is done, or credits run low.</p>
    </section>
  );
}

/** The endpoints of the account, and a form for a new one. */
export function WebhooksPage() {
  const { api } = useConsole();
  const webhooks = useLoaded(() => api.client.webhooks.list());
  const made = useSignal<CreatedWebhook | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const create = async (wish: WebhookRequest): Promise<boolean> => {
    try {
      made.value = await api.client.webhooks.create(wish);
      failure.value = undefined;
    } catch (error) {
      failure.value = failureOf(error);
    }
    await webhooks.reload();
    return failure.value === undefined;
  };
  const problem = failure.value ?? webhooks.failure.value;
  const all = webhooks.value.value?.webhooks ?? [];
  return (
    <Page title="Webhooks" lead="URLs we call when something happens.">
      <WhenRead of={[webhooks]}>
        <section class="card" aria-labelledby="endpoints-title">
          <h2 id="endpoints-title">Endpoints</h2>
          {problem === undefined ? null : <FailureNotice failure={problem} />}
          {all.length === 0 ? <p class="hint">No endpoints yet.</p> : <WebhookTable webhooks={all} />}
          <WebhookForm onCreate={create} />
        </section>
      </WhenRead>
      {made.value === undefined ? null : (
        <SecretDialog
          title="Copy the secret now"
          text="You will not see it again. Your endpoint needs it to verify what it receives."
          secret={made.value.secret}
          what="the secret"
          onClose={() => (made.value = undefined)}
        />
      )}
    </Page>
  );
}

function WebhookTable({ webhooks }: { webhooks: readonly Webhook[] }) {
  return (
    <table>
      <caption class="visually-hidden">Endpoints of the account</caption>
      <TableHead columns={['Endpoint', 'State', ['Events', 'wide-only']]} />
      <tbody>
        {webhooks.map((webhook) => (
          <tr key={webhook.webhook_id}>
            <th scope="row">
              <a href={pathTo(`/webhooks/${webhook.webhook_id}`)}>{webhook.url}</a>
            </th>
            <td>{webhookState(webhook)}</td>
            <td class="wide-only">{webhook.events.join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const allEvents = Object.keys(eventTexts) as WantedEventType[];
const usualEvents: readonly WantedEventType[] = ['task.completed', 'list.completed'];

/** A form for a new endpoint: its URL, its events, and the threshold of low credits. */
function WebhookForm({ onCreate }: { onCreate: (wish: WebhookRequest) => Promise<boolean> }) {
  const url = useSignal('');
  const { features } = useConsole();
  const offered = allEvents.filter((event) => !event.startsWith('list.') || features.has('lists'));
  const events = useSignal(offered.filter((event) => usualEvents.includes(event)));
  const threshold = useSignal('100');
  const wantsCredits = events.value.includes('credits.low');
  const create = async () => {
    const low = wantsCredits ? { credits_low_at: Number(threshold.value) } : {};
    if (await onCreate({ url: url.value.trim(), events: [...events.value], ...low })) url.value = '';
  };
  const toggle = (event: WantedEventType) =>
    (events.value = offered.filter((one) => (one === event) !== events.value.includes(one)));
  return (
    <form
      class="stack"
      aria-label="Create an endpoint"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        void create();
      }}
    >
      <div class="field">
        <label for="webhook-url">URL of the new endpoint</label>
        <input
          id="webhook-url"
          type="url"
          required
          autocomplete="off"
          placeholder="https://hooks.example.com/mailproof"
          value={url.value}
          onInput={(event) => (url.value = event.currentTarget.value)}
        />
      </div>
      <fieldset class="choices">
        <legend>Events</legend>
        {offered.map((event) => (
          <label key={event} class="inline-field">
            <input type="checkbox" checked={events.value.includes(event)} onChange={() => toggle(event)} />{' '}
            {eventTexts[event]}
          </label>
        ))}
      </fieldset>
      {wantsCredits ? (
        <div class="field">
          <label for="webhook-threshold">Low means fewer credits than</label>
          <input
            id="webhook-threshold"
            type="number"
            min="1"
            required
            value={threshold.value}
            onInput={(event) => (threshold.value = event.currentTarget.value)}
          />
        </div>
      ) : null}
      <div class="buttons">
        <button type="submit" class="button" disabled={events.value.length === 0}>
          Create endpoint
        </button>
      </div>
    </form>
  );
}
