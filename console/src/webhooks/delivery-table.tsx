import type { WebhookDelivery } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { Dialog } from '../parts/dialog.tsx';
import { counted } from '../parts/format.ts';
import { TableHead } from '../parts/table-head.tsx';
import { Time } from '../parts/time.tsx';
import { outcomeText } from './webhook-texts.ts';

type DeliveryTableProps = {
  deliveries: readonly WebhookDelivery[];
  onSend: (deliveryId: string) => Promise<void>;
};

/** What was sent, when, how it went; with a closer look at each. */
export function DeliveryTable({ deliveries, onSend }: DeliveryTableProps) {
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
