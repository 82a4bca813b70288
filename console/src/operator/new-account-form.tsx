import { useSignal } from '@preact/signals';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { useAttempt } from '../loading/use-attempt.ts';
import { useConsole } from '../app/use-console.ts';

export function NewAccountForm({ onCreated }: { onCreated: (accountId: string) => void }) {
  const { api } = useConsole();
  const name = useSignal('');
  const credits = useSignal('0');
  const { attempt, failure } = useAttempt();
  const create = () =>
    attempt(async () => {
      const made = await api.admin.accounts.create({
        name: name.value.trim(),
        credits: Number(credits.value),
      });
      onCreated(made.account_id);
    });
  return (
    <form
      class="card"
      aria-labelledby="new-account-title"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <h2 id="new-account-title">Create an account</h2>
      {failure.value === undefined ? null : <FailureNotice failure={failure.value} />}
      <div class="fields">
        <div class="field">
          <label for="account-name">Name</label>
          <input
            id="account-name"
            required
            maxLength={200}
            autocomplete="off"
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </div>
        <div class="field">
          <label for="account-credits">Initial credits</label>
          <input
            id="account-credits"
            type="number"
            min={0}
            step={1}
            required
            value={credits.value}
            onInput={(event) => (credits.value = event.currentTarget.value)}
          />
        </div>
        <button type="submit" class="button">
          Create account
        </button>
      </div>
    </form>
  );
}
