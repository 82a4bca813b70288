import { useSignal } from '@preact/signals';
import type { AdminAccount } from '@mailproof/client';
import { grouped } from '../parts/format.ts';
import { Page } from '../app/page.tsx';
import { PagesEnd } from '../loading/pages-end.tsx';
import { Time } from '../parts/time.tsx';
import { usePages } from '../loading/use-pages.ts';
import { WhenRead } from '../loading/when-read.tsx';
import { useConsole } from '../app/use-console.ts';
import { NewAccountForm } from './new-account-form.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { pathTo } from '../app/base-path.ts';

/** Every account, found by name or id. */
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
