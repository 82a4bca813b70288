import { Page } from '../parts/page.tsx';

export function OneAccountPage({ id }: { id: string }) {
  return (
    <Page title="Account">
      <p>Not here yet: {id}</p>
    </Page>
  );
}
