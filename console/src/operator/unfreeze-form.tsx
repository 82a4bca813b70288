import { useSignal } from '@preact/signals';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { useAttempt } from '../loading/use-attempt.ts';
import { useConsole } from '../app/use-console.ts';

/** For an account that the audit froze. What does not balance, the command line tells. */
export function UnfreezeForm({ accountId, onChanged }: { accountId: string; onChanged: () => void }) {
  const { api, announcer } = useConsole();
  const reason = useSignal('');
  const { attempt, failure } = useAttempt();
  const unfreeze = () =>
    attempt(async () => {
      await api.admin.accounts.unfreeze(accountId, reason.value);
      announcer.say('The account can spend credits again');
      onChanged();
    });
  return (
    <form
      class="fields"
      aria-label="Release the account"
      onSubmit={(event) => {
        event.preventDefault();
        void unfreeze();
      }}
    >
      {failure.value === undefined ? null : <FailureNotice failure={failure.value} />}
      <div class="field">
        <label for="unfreeze-reason">Why the account may spend credits again</label>
        <input
          id="unfreeze-reason"
          required
          maxLength={500}
          value={reason.value}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
        <p class="hint">
          To see what does not balance, run <code>mailproof audit --account {accountId}</code>.
        </p>
      </div>
      <button type="submit" class="button">
        Release account
      </button>
    </form>
  );
}
