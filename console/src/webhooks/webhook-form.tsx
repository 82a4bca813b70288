import type { WantedEventType, WebhookRequest } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { eventTexts } from './webhook-texts.ts';

const allEvents = Object.keys(eventTexts) as WantedEventType[];

/** A new endpoint: where it is, what it is told of, and from when on credits are low. */
export function WebhookForm({ onCreate }: { onCreate: (wish: WebhookRequest) => Promise<boolean> }) {
  const url = useSignal('');
  const events = useSignal<readonly WantedEventType[]>(['task.completed', 'list.completed']);
  const threshold = useSignal('100');
  const wantsCredits = events.value.includes('credits.low');
  const create = async () => {
    const low = wantsCredits ? { credits_low_at: Number(threshold.value) } : {};
    if (await onCreate({ url: url.value.trim(), events: [...events.value], ...low })) url.value = '';
  };
  const toggle = (event: WantedEventType) =>
    (events.value = allEvents.filter((one) => (one === event) !== events.value.includes(one)));
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
        <legend>Tell it when</legend>
        {allEvents.map((event) => (
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
