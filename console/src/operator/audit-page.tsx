import { Page } from '../parts/page.tsx';

export function AuditPage() {
  return (
    <Page title="Audit log">
      <p>Not here yet.</p>
    </Page>
  );
}
