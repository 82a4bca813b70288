import { useSignal } from '@preact/signals';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { useAttempt } from '../loading/use-attempt.ts';
import { useConsole } from '../app/use-console.ts';

type RateFormProps = { accountId: string; rate: number | null; onChanged: () => void };

/** How many requests a minute the account may send; nothing in the field is what the setting says. */
export function RateForm({ accountId, rate, onChanged }: RateFormProps) {
  const { api, announcer } = useConsole();
  const wanted = useSignal(rate === null ? '' : String(rate));
  const { attempt, failure } = useAttempt();
  const change = () =>
    attempt(async () => {
      const next = wanted.value === '' ? null : Number(wanted.value);
      await api.admin.accounts.setRate(accountId, next);
      announcer.say(
        next === null ? 'The rate is now that of the setting' : `The rate is now ${next} a minute`,
      );
      onChanged();
    });
  return (
    <form
      class="fields"
      aria-label="Change the rate"
      onSubmit={(event) => {
        event.preventDefault();
        void change();
      }}
    >
      {failure.value === undefined ? null : <FailureNotice failure={failure.value} />}
      <div class="field">
        <label for="rate">Requests per minute</label>
        <input
          id="rate"
          type="number"
          min={1}
          max={1_000_000}
          step={1}
          value={wanted.value}
          onInput={(event) => (wanted.value = event.currentTarget.value)}
        />
        <p class="hint">
          For each process. Empty: as many as <code>MAILPROOF_RATE_PER_ACCOUNT</code> says.
        </p>
      </div>
      <button type="submit" class="button">
        Set rate
      </button>
    </form>
  );
}
