import type { AdminAccount } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { type Failure, failureOf, randomKey } from '../../api/call.ts';
import { pathTo } from '../../app/base-path.ts';
import type { FeatureCard } from '../../app/features.ts';
import { useAttempt, useLoaded, usePages } from '../../app/loading.ts';
import { FailureNotice, Page, PagesEnd, WhenRead } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { AccountNotices, CreditFacts } from '../../core/account/account-page.tsx';
import { KeysCard } from '../../core/account/keys-card.tsx';
import { LedgerCard } from '../../core/account/ledger-card.tsx';
import { TaskTable } from '../../core/tasks/tasks-page.tsx';
import { counted } from '../../parts/format.ts';

type OneAccountProps = { id: string; cards: readonly FeatureCard<{ accountId: string }>[] };

/** One account for the operator: plan, credits, keys, ledger and tasks, but no address. */
export function OneAccountPage({ id, cards }: OneAccountProps) {
  const { api, features } = useConsole();
  const account = useLoaded(() => api.admin.accounts.get(id));
  const keys = useLoaded(() => api.admin.keys.list(id));
  const ledger = usePages(async (before) => {
    const { entries, next } = await api.admin.accounts.ledger(id, { before, limit: 20 });
    return { items: entries, next };
  });
  const tasks = usePages(async (before) => {
    const page = await api.admin.accounts.tasks(id, { before, limit: 20 });
    return { items: page.tasks, next: page.next };
  });
  const known = account.value.value;
  const refresh = () => {
    void account.reload();
    void ledger.reload();
  };
  return (
    <Page title={known?.name ?? 'Account'} lead={<a href={pathTo('/operator/accounts')}>All accounts</a>}>
      {account.failure.value === undefined ? null : <FailureNotice failure={account.failure.value} />}
      <WhenRead of={[account, keys, ledger, tasks]}>
        {known === undefined ? null : (
          <>
            <AccountNotices plan={known.plan} frozen={known.frozen} />
            <section class="card" aria-labelledby="balance-title">
              <div class="card-head">
                <h2 id="balance-title">Plan and credits</h2>
                <span class="hint">
                  Account <code>{known.account_id}</code>
                </span>
              </div>
              <CreditFacts credits={known.credits} />
              <GrantForm accountId={id} onGranted={refresh} />
              <PlanForm accountId={id} plan={known.plan} onChanged={refresh} />
              <RateForm accountId={id} rate={known.requests_per_minute} onChanged={refresh} />
              {known.frozen ? <UnfreezeForm accountId={id} onChanged={refresh} /> : null}
            </section>
            <KeysCard
              actions={{
                keys,
                create: (wish) => api.admin.keys.create(id, wish),
                change: (keyId, change) => api.admin.keys.change({ accountId: id, keyId }, change),
                remove: (keyId) => api.admin.keys.delete(id, keyId),
              }}
            />
            {cards.map(({ feature, Card }) =>
              features.has(feature) ? <Card key={feature} accountId={id} /> : null,
            )}
            <LedgerCard pages={ledger} canOpen={false} />
            <section class="card" aria-labelledby="tasks-title">
              <h2 id="tasks-title">Tasks</h2>
              {tasks.items.value.length === 0 ? null : (
                <TaskTable tasks={tasks.items.value} keys={keys.value.value?.keys} canOpen={false} />
              )}
              <PagesEnd pages={tasks} nothing="No tasks yet." />
            </section>
          </>
        )}
      </WhenRead>
    </Page>
  );
}

/** Grants credits. The request keeps its key until it succeeds, so that a double click grants once. */
function GrantForm({ accountId, onGranted }: { accountId: string; onGranted: () => void }) {
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

type Plan = AdminAccount['plan'];
type PlanFormProps = { accountId: string; plan: Plan; onChanged: () => void };

function PlanForm({ accountId, plan, onChanged }: PlanFormProps) {
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

type RateFormProps = { accountId: string; rate: number | null; onChanged: () => void };

/** The account's requests per minute; an empty field means the default. */
function RateForm({ accountId, rate, onChanged }: RateFormProps) {
  const { api, announcer } = useConsole();
  const wanted = useSignal(rate === null ? '' : String(rate));
  const { attempt, failure } = useAttempt();
  const change = () =>
    attempt(async () => {
      const next = wanted.value === '' ? null : Number(wanted.value);
      await api.admin.accounts.setRate(accountId, next);
      announcer.say(
        next === null ? 'The account now has the default rate' : `The rate is now ${next} a minute`,
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
          Per process; empty uses the default (<code>MAILPROOF_RATE_PER_ACCOUNT</code>).
        </p>
      </div>
      <button type="submit" class="button">
        Set rate
      </button>
    </form>
  );
}

/** Releases an account that the audit froze. The command line shows the imbalance. */
function UnfreezeForm({ accountId, onChanged }: { accountId: string; onChanged: () => void }) {
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
        <label for="unfreeze-reason">Reason for the release</label>
        <input
          id="unfreeze-reason"
          required
          maxLength={500}
          value={reason.value}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
        <p class="hint">
          To see the imbalance, run <code>mailproof audit --account {accountId}</code>.
        </p>
      </div>
      <button type="submit" class="button">
        Release account
      </button>
    </form>
  );
}
