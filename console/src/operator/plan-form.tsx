import { useSignal } from '@preact/signals';
import type { AdminAccount } from '@mailproof/client';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { useAttempt } from '../loading/use-attempt.ts';
import { useConsole } from '../app/use-console.ts';

type Plan = AdminAccount['plan'];
type PlanFormProps = { accountId: string; plan: Plan; onChanged: () => void };

export function PlanForm({ accountId, plan, onChanged }: PlanFormProps) {
  const { api, announcer } = useConsole();
  const wanted = useSignal<Plan>(plan);
  const { attempt, failure } = useAttempt();
  const change = () =>
    attempt(async () => {
      await api.admin.accounts.setPlan(accountId, wanted.value);
      announcer.say(`The plan is now ${wanted.value}`);
      onChanged();
    });
  return (
    <form
      class="fields"
      aria-label="Change the plan"
      onSubmit={(event) => {
        event.preventDefault();
        void change();
      }}
    >
      {failure.value === undefined ? null : <FailureNotice failure={failure.value} />}
      <div class="field">
        <label for="plan">Plan</label>
        <select
          id="plan"
          value={wanted.value}
          onChange={(event) => (wanted.value = event.currentTarget.value === 'none' ? 'none' : 'paid')}
        >
          <option value="paid">paid: can verify addresses</option>
          <option value="none">none: read only</option>
        </select>
      </div>
      <button type="submit" class="button">
        Set plan
      </button>
    </form>
  );
}
