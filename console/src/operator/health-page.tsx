import { Page } from '../parts/page.tsx';

export function HealthPage() {
  return (
    <Page title="Health">
      <p>Not here yet.</p>
    </Page>
  );
}
