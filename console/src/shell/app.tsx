import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { AccountPage } from '../account/account-page.tsx';
import { CheckPage } from '../check/check-page.tsx';
import { ListPage } from '../lists/list-page.tsx';
import { ListsPage } from '../lists/lists-page.tsx';
import { AccountsPage } from '../operator/accounts-page.tsx';
import { AuditPage } from '../operator/audit-page.tsx';
import { HealthPage } from '../operator/health-page.tsx';
import { OneAccountPage } from '../operator/one-account-page.tsx';
import { Page } from '../app/page.tsx';
import { InvitationPage } from '../sign-in/invitation-page.tsx';
import { SignInPage } from '../sign-in/sign-in-page.tsx';
import { useSignOut } from '../sign-in/use-sign-out.ts';
import { TaskPage } from '../tasks/task-page.tsx';
import { TasksPage } from '../tasks/tasks-page.tsx';
import { WebhookPage } from '../webhooks/webhook-page.tsx';
import { WebhooksPage } from '../webhooks/webhooks-page.tsx';
import { Header } from './header.tsx';
import type { Route } from '../app/route.ts';
import { useConsole } from '../app/use-console.ts';
import { pathTo } from '../app/base-path.ts';

/** The frame around every page: skip link, header, page, and the live region for screen readers. */
export function App() {
  const { announcer } = useConsole();
  return (
    <>
      <a class="skip-link" href="#content">
        Skip to content
      </a>
      <Header />
      <TestKeyBar />
      <ConnectionBar />
      <Outlet />
      <div class="visually-hidden" role="status" aria-live="polite">
        {announcer.said}
      </div>
    </>
  );
}

/** Shown above every page while it lasts, since what the page shows may be out of date. */
const connectionTexts = {
  lost: 'Connection lost. Retrying automatically. Nothing is lost, and nothing is charged twice.',
  busy: 'The service is busy. Retrying in a moment.',
  fine: '',
} as const;

function ConnectionBar() {
  const { connection } = useConsole();
  const state = connection.state.value;
  return (
    <div role="status" class="connection-bar" hidden={state === 'fine'}>
      {connectionTexts[state]}
    </div>
  );
}

/** As long as a test key is signed in, so that nobody takes an answer of the sandbox for a real one. */
function TestKeyBar() {
  const { session } = useConsole();
  const state = session.state.value;
  if (state.kind !== 'account' || state.account.key?.mode !== 'test') return null;
  return (
    <aside class="test-key-bar" aria-label="Test key">
      You are signed in with a test key. Answers come from the sandbox: they are made up and free.
    </aside>
  );
}

function Outlet() {
  const { session, router } = useConsole();
  const { kind } = session.state.value;
  const route = router.route.value;
  // Whoever is signed in already may be somebody else than who was invited, or is invited to another account.
  if (route.kind === 'invitation' && kind !== 'looking') return <InvitationPage />;
  switch (kind) {
    case 'looking':
      return <main id="content" class="page" aria-busy="true" />;
    case 'unreachable':
      return (
        <Page title="Waiting for the service">
          <p>The service cannot be reached. This page tries again every few seconds.</p>
        </Page>
      );
    case 'signed_out':
      return <SignInPage />;
    case 'account':
      return accountPage(route);
    case 'operator':
      return operatorPage(route);
  }
}

function accountPage(route: Route): JSX.Element {
  switch (route.kind) {
    case 'home':
      return <Redirect to="/check" />;
    case 'check':
      return <CheckPage key="check" />;
    case 'lists':
      return <ListsPage key="lists" />;
    case 'list':
      return <ListPage key={route.id} id={route.id} />;
    case 'tasks':
      return <TasksPage key="tasks" />;
    case 'task':
      return <TaskPage key={route.id} id={route.id} />;
    case 'account':
      return <AccountPage key="account" />;
    case 'webhooks':
      return <WebhooksPage key="webhooks" />;
    case 'webhook':
      return <WebhookPage key={route.id} id={route.id} />;
    case 'operator':
    case 'operator_accounts':
    case 'operator_account':
    case 'operator_audit':
      return <OtherSessionNeeded key="other" secret="the admin token" />;
    case 'invitation':
    case 'not_found':
      return <NotFound key="not_found" />;
  }
}

function operatorPage(route: Route): JSX.Element {
  switch (route.kind) {
    case 'home':
      return <Redirect to="/operator" />;
    case 'operator':
      return <HealthPage key="health" />;
    case 'operator_accounts':
      return <AccountsPage key="accounts" />;
    case 'operator_account':
      return <OneAccountPage key={route.id} id={route.id} />;
    case 'operator_audit':
      return <AuditPage key="audit" />;
    case 'check':
    case 'lists':
    case 'list':
    case 'tasks':
    case 'task':
    case 'account':
    case 'webhooks':
    case 'webhook':
      return <OtherSessionNeeded key="other" secret="an API key" />;
    case 'invitation':
    case 'not_found':
      return <NotFound key="not_found" />;
  }
}

function Redirect({ to }: { to: string }) {
  const { router } = useConsole();
  useEffect(() => router.replace(to), [to]);
  return <main id="content" class="page" aria-busy="true" />;
}

function OtherSessionNeeded({ secret }: { secret: string }) {
  const signOut = useSignOut();
  return (
    <Page title="A different sign-in is needed" lead={`To see this page, sign in with ${secret}.`}>
      <button type="button" class="button" onClick={signOut}>
        Sign out and sign in with {secret}
      </button>
    </Page>
  );
}

function NotFound() {
  return (
    <Page title="Page not found" lead="Check the address for typos.">
      <p>
        <a href={pathTo('/')}>Go to the home page</a>
      </p>
    </Page>
  );
}
