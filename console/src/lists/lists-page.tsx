import { Page } from '../parts/page.tsx';

export function ListsPage() {
  return (
    <Page title="Check a list">
      <p>Not here yet.</p>
    </Page>
  );
}
