import { useSignal } from '@preact/signals';
import { failureOf, type Failure } from '../api/failure.ts';
import { counted } from '../parts/format.ts';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { randomKey } from '../parts/random-key.ts';
import { useConsole } from '../app/use-console.ts';

/** Grants credits. The request has a key until it succeeded, so that a click that is repeated grants once. */
export function GrantForm({ accountId, onGranted }: { accountId: string; onGranted: () => void }) {
  const { api, announcer } = useConsole();
  const amount = useSignal('');
  const key = useSignal(randomKey());
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | undefined>(undefined);
  const grant = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = undefined;
    try {
      await api.admin.accounts.grant(accountId, Number(amount.value), { idempotencyKey: key.value });
      announcer.say(`${counted(Number(amount.value), 'credit')} granted`);
      amount.value = '';
      key.value = randomKey();
      onGranted();
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form
      class="fields"
      aria-label="Grant credits"
      onSubmit={(event) => {
        event.preventDefault();
        void grant();
      }}
    >
      {failure.value === undefined ? null : <FailureNotice failure={failure.value} />}
      <div class="field">
        <label for="grant">Credits to grant</label>
        <input
          id="grant"
          type="number"
          min={1}
          step={1}
          required
          value={amount.value}
          onInput={(event) => {
            amount.value = event.currentTarget.value;
            // Another amount is another grant.
            key.value = randomKey();
          }}
        />
      </div>
      <button type="submit" class="button button-main" aria-disabled={isBusy.value}>
        Grant credits
      </button>
    </form>
  );
}
