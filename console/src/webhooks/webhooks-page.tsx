import type { CreatedWebhook, Webhook, WebhookRequest } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { SecretDialog } from '../account/secret-dialog.tsx';
import { failureOf, type Failure } from '../api/failure.ts';
import { Page } from '../app/page.tsx';
import { useConsole } from '../app/use-console.ts';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { useLoaded } from '../loading/use-loaded.ts';
import { WhenRead } from '../loading/when-read.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { webhookState } from './webhook-texts.ts';
import { pathTo } from '../app/base-path.ts';

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
    <Page title="Webhooks" lead="Endpoints of yours that are told when something happens.">
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
