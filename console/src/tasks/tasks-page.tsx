import { Page } from '../parts/page.tsx';

export function TasksPage() {
  return (
    <Page title="Tasks">
      <p>Not here yet.</p>
    </Page>
  );
}
