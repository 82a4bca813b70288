import { Page } from '../app/page.tsx';
import { useConsole } from '../app/use-console.ts';
import { PagesEnd } from '../loading/pages-end.tsx';
import { useEvery } from '../loading/use-loaded.ts';
import { usePages } from '../loading/use-pages.ts';
import { WhenRead } from '../loading/when-read.tsx';
import { ChooseList } from './choose-list.tsx';
import { ListTable } from './list-table.tsx';

const lookAgainMs = 2_000;

/** A new list is brought here; below are all lists of the account. */
export function ListsPage() {
  const { api } = useConsole();
  const pages = usePages(async (after) => {
    const { lists, next } = await api.client.lists.page({ after });
    return { items: lists, next };
  });
  const lists = pages.items.value;
  // Reading anew shows the first page alone, so it is not done while more is shown.
  const isFollowed = lists.length <= 50 && lists.some(({ state }) => state === 'running');
  useEvery(lookAgainMs, () => void pages.reload(), isFollowed);
  return (
    <Page
      title="Lists"
      lead="Upload a list, see what it costs, and download it with the results. It runs on the server, so you can close this page."
    >
      <ChooseList />
      <WhenRead of={[pages]}>
        <section class="card" aria-labelledby="lists-title">
          <h2 id="lists-title">All lists</h2>
          {lists.length === 0 ? null : <ListTable lists={lists} />}
          <PagesEnd pages={pages} nothing="No lists yet." />
        </section>
      </WhenRead>
    </Page>
  );
}
