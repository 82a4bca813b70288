import { AccountNotices } from '../account/account-page.tsx';
import { CreditFacts } from '../account/credit-facts.tsx';
import { KeysCard } from '../account/keys-card.tsx';
import { LedgerCard } from '../account/ledger-card.tsx';
import { PeopleCard } from '../account/people-card.tsx';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { Page } from '../app/page.tsx';
import { PagesEnd } from '../loading/pages-end.tsx';
import { useLoaded } from '../loading/use-loaded.ts';
import { usePages } from '../loading/use-pages.ts';
import { WhenRead } from '../loading/when-read.tsx';
import { useConsole } from '../app/use-console.ts';
import { TaskTable } from '../tasks/task-table.tsx';
import { GrantForm } from './grant-form.tsx';
import { PlanForm } from './plan-form.tsx';
import { RateForm } from './rate-form.tsx';
import { UnfreezeForm } from './unfreeze-form.tsx';
import { pathTo } from '../app/base-path.ts';

/** One account as the operator sees it: its plan, credits, keys, books and tasks, and no address. */
export function OneAccountPage({ id }: { id: string }) {
  const { api } = useConsole();
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
            <AccountPeople accountId={id} />
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

/** Where there is a provider to sign in with: who does, and a way to let the first of them in. */
function AccountPeople({ accountId }: { accountId: string }) {
  const { api } = useConsole();
  const people = useLoaded(async () =>
    (await api.session.options()).provider === null ? undefined : await api.admin.people.list(accountId),
  );
  if (people.value.value === undefined) return null;
  return <PeopleCard actions={{ people, invite: (wish) => api.admin.people.invite(accountId, wish) }} />;
}
