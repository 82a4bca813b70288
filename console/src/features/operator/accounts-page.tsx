import type { AdminAccount } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { pathTo } from '../../app/base-path.ts';
import { useAttempt, usePages } from '../../app/loading.ts';
import { FailureNotice, Page, PagesEnd, WhenRead } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { TableHead, Time } from '../../parts/elements.tsx';
import { grouped } from '../../parts/format.ts';

/** All accounts, with a search by name or ID. */
export function AccountsPage() {
  const { api, router } = useConsole();
  const typed = useSignal('');
  const search = useSignal('');
  const pages = usePages(
    async (before) => {
      const { accounts, next } = await api.admin.accounts.list({
        before,
        search: search.value || undefined,
      });
      return { items: accounts, next };
    },
    [search.value],
  );
  return (
    <Page title="Accounts">
      <WhenRead of={[pages]}>
        <section class="card" aria-label="Accounts">
          <form
            class="fields"
            role="search"
            onSubmit={(event) => {
              event.preventDefault();
              search.value = typed.value.trim();
            }}
          >
            <div class="field">
              <label for="account-search">Find an account by name or ID</label>
              <input
                id="account-search"
                type="search"
                autocomplete="off"
                value={typed.value}
                onInput={(event) => (typed.value = event.currentTarget.value)}
              />
            </div>
            <button type="submit" class="button">
              Find
            </button>
          </form>
          {pages.items.value.length === 0 ? null : <AccountTable accounts={pages.items.value} />}
          <PagesEnd pages={pages} nothing="No account found." />
        </section>
        <NewAccountForm onCreated={(id) => router.go(`/operator/accounts/${id}`)} />
      </WhenRead>
    </Page>
  );
}

function AccountTable({ accounts }: { accounts: readonly AdminAccount[] }) {
  return (
    <table>
      <caption class="visually-hidden">Accounts, newest first</caption>
      <TableHead
        columns={[
          'Name',
          'Plan',
          ['Available', 'number'],
          ['Spent', 'number wide-only'],
          ['Created', 'wide-only'],
        ]}
      />
      <tbody>
        {accounts.map(({ account_id: id, name, plan, frozen, credits, created_at: createdAt }) => (
          <tr key={id}>
            <th scope="row">
              <a href={pathTo(`/operator/accounts/${id}`)}>{name}</a>{' '}
              {frozen ? <span class="tag">on hold</span> : null}
            </th>
            <td>{plan}</td>
            <td class="number">{grouped(credits.available)}</td>
            <td class="number wide-only">{grouped(credits.spent)}</td>
            <td class="wide-only">
              <Time at={createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NewAccountForm({ onCreated }: { onCreated: (accountId: string) => void }) {
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
