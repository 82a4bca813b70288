import { Page } from '../parts/page.tsx';

export function TaskPage({ id }: { id: string }) {
  return (
    <Page title="Task">
      <p>Not here yet: {id}</p>
    </Page>
  );
}
