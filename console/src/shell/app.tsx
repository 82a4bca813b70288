import { Fragment, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { pathTo } from '../app/base-path.ts';
import type { FeatureCard } from '../app/features.ts';
import { Page } from '../app/page.tsx';
import { findPage, type PageKind, type Route } from '../app/pages.ts';
import { useConsole } from '../app/use-console.ts';
import { AccountPage, type AccountCard } from '../core/account/account-page.tsx';
import { CheckPage } from '../core/check/check-page.tsx';
import { SignInPage, useSignOut } from '../core/sign-in/sign-in-page.tsx';
import { TaskPage } from '../core/tasks/task-page.tsx';
import { TasksPage } from '../core/tasks/tasks-page.tsx';
import { formKeysCard } from '../features/forms/form-keys-card.tsx';
import { ListPage } from '../features/lists/list-page.tsx';
import { ListsPage, listStep } from '../features/lists/lists-page.tsx';
import { AccountsPage } from '../features/operator/accounts-page.tsx';
import { AuditPage } from '../features/operator/audit-page.tsx';
import { HealthPage } from '../features/operator/health-page.tsx';
import { OneAccountPage } from '../features/operator/one-account-page.tsx';
import { InvitationPage } from '../features/people/invitation-page.tsx';
import { accountPeopleCard, operatorPeopleCard, signedInCard } from '../features/people/account-people.tsx';
import { probersCard } from '../features/probers/probers-card.tsx';
import { WebhookPage } from '../features/webhooks/webhook-page.tsx';
import { webhooksCard, WebhooksPage } from '../features/webhooks/webhooks-page.tsx';
import { Header } from './header.tsx';

/** Cards that features add to pages of others, in the order in which they are shown. */
const accountCards: readonly AccountCard[] = [signedInCard, accountPeopleCard, formKeysCard, webhooksCard];
const operatorAccountCards: readonly FeatureCard<{ accountId: string }>[] = [operatorPeopleCard];
const healthCards: readonly FeatureCard[] = [probersCard];
const checkSteps: readonly FeatureCard[] = [listStep];

const drawings: Readonly<Record<PageKind, (id: string) => JSX.Element>> = {
  check: () => <CheckPage steps={checkSteps} />,
  lists: () => <ListsPage />,
  list: (id) => <ListPage id={id} />,
  tasks: () => <TasksPage />,
  task: (id) => <TaskPage id={id} />,
  account: () => <AccountPage cards={accountCards} />,
  webhooks: () => <WebhooksPage />,
  webhook: (id) => <WebhookPage id={id} />,
  invitation: () => <InvitationPage />,
  operator: () => <HealthPage cards={healthCards} />,
  operator_accounts: () => <AccountsPage />,
  operator_account: (id) => <OneAccountPage id={id} cards={operatorAccountCards} />,
  operator_audit: () => <AuditPage />,
};

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

/** Shown above every page while the connection is not fine, since the page may be out of date. */
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

/** Shown while a test key is signed in, so that an answer of the sandbox is not taken for a real one. */
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
  if (kind === 'looking') return <main id="content" class="page" aria-busy="true" />;
  // An invitation can be for another account, or for another person than the one signed in.
  if (findPage(route.kind)?.session === 'any') return <RoutedPage route={route} session="any" />;
  switch (kind) {
    case 'unreachable':
      return (
        <Page title="Waiting for the service">
          <p>The service cannot be reached. This page tries again every few seconds.</p>
        </Page>
      );
    case 'signed_out':
      return <SignInPage />;
    case 'account':
    case 'operator':
      return <RoutedPage route={route} session={kind} />;
  }
}

const homes = { account: '/check', operator: '/operator', any: '/' } as const;
const secrets = { account: 'an API key', operator: 'the admin token', any: '' } as const;

function RoutedPage({ route, session }: { route: Route; session: keyof typeof homes }) {
  const { features } = useConsole();
  if (route.kind === 'home') return <Redirect to={homes[session]} />;
  const page = findPage(route.kind);
  if (page === undefined) return <NotFound />;
  if (!features.has(page.feature)) return <NotInstalled key={page.kind} />;
  if (page.session !== session)
    return <OtherSessionNeeded key={page.session} secret={secrets[page.session]} />;
  const id = 'id' in route ? (route.id ?? '') : '';
  return <Fragment key={`${page.kind} ${id}`}>{drawings[page.kind](id)}</Fragment>;
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
      <HomeLink />
    </Page>
  );
}

function NotInstalled() {
  return (
    <Page
      title="Not part of this installation"
      lead="The operator runs this service without the feature that this page belongs to."
    >
      <HomeLink />
    </Page>
  );
}

function HomeLink() {
  return (
    <p>
      <a href={pathTo('/')}>Go to the home page</a>
    </p>
  );
}
