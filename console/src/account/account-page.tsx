import type { SessionPerson } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../app/page.tsx';
import { useLoaded } from '../loading/use-loaded.ts';
import { usePages } from '../loading/use-pages.ts';
import { WhenRead } from '../loading/when-read.tsx';
import { useConsole } from '../app/use-console.ts';
import { CreditFacts } from './credit-facts.tsx';
import { FormKeysCard } from './form-keys-card.tsx';
import { KeysCard } from './keys-card.tsx';
import { LedgerCard } from './ledger-card.tsx';
import { PeopleCard } from './people-card.tsx';
import { UsageCard } from './usage-card.tsx';
import { pathTo } from '../app/base-path.ts';
import { ProviderButton } from '../sign-in/provider-button.tsx';

export function AccountPage() {
  const { api, session } = useConsole();
  const state = session.state.value;
  const pages = usePages(async (before) => {
    const { entries, next } = await api.client.ledger({ before, limit: 20 });
    return { items: entries, next };
  });
  const keys = useLoaded(() => api.client.keys.list());
  const formKeys = useLoaded(() => api.client.formKeys.list());
  const span = useSignal(30);
  const usage = useLoaded(() => api.client.usage({ days: span.value }), [span.value]);
  useEffect(() => void session.refresh(), []);
  if (state.kind !== 'account') return null;
  const { account, person } = state;
  // What the service refuses to others is not offered to them.
  const mayChange = person === undefined || person.role === 'owner';
  return (
    <Page title="Account" lead={account.name}>
      <WhenRead of={[keys, formKeys, usage, pages]}>
        <AccountNotices plan={account.plan} frozen={account.frozen} />
        <section class="card" aria-labelledby="balance-title">
          <div class="card-head">
            <h2 id="balance-title">Balance</h2>
            <span class="hint">
              Account <code>{account.account_id}</code>
            </span>
          </div>
          <CreditFacts credits={account.credits} />
        </section>
        {person === undefined ? null : <SignedInAs person={person} accountId={account.account_id} />}
        <UsageCard usage={usage} span={span} />
        {mayChange ? <AccountPeople /> : null}
        {mayChange ? (
          <KeysCard
            actions={{
              keys,
              create: (wish) => api.client.keys.create(wish),
              change: (id, change) => api.client.keys.change(id, change),
              remove: (id) => api.client.keys.delete(id),
            }}
          />
        ) : null}
        {mayChange ? (
          <FormKeysCard
            actions={{
              keys: formKeys,
              create: (wish) => api.client.formKeys.create(wish),
              remove: (key) => api.client.formKeys.delete(key),
            }}
          />
        ) : null}
        <section class="card" aria-labelledby="webhooks-title">
          <div class="card-head">
            <h2 id="webhooks-title">Webhooks</h2>
            <a href={pathTo('/webhooks')}>Manage webhooks</a>
          </div>
          <p class="hint">Have your own systems told when a task or a list is done, or credits run low.</p>
        </section>
        <LedgerCard pages={pages} canOpen />
      </WhenRead>
    </Page>
  );
}

/** Where there is a provider to sign in with, and whoever looks may see who does. */
function AccountPeople() {
  const { api } = useConsole();
  const people = useLoaded(async () =>
    (await api.session.options()).provider === null ? undefined : await api.client.people.list(),
  );
  const isHidden = people.failure.value?.reason === 'insufficient_scope';
  if (isHidden || (people.value.value === undefined && people.failure.value === undefined)) return null;
  const calls = api.client.people;
  return (
    <PeopleCard
      actions={{
        people,
        invite: (wish) => calls.invite(wish),
        manage: {
          setRole: (id, role) => calls.setRole(id, role),
          remove: (id) => calls.remove(id),
          withdraw: (id) => calls.withdraw(id),
        },
      }}
    />
  );
}

export function AccountNotices({ plan, frozen }: { plan: string; frozen: boolean }) {
  return (
    <>
      {frozen ? (
        <Notice tone="problem" title="The account is on hold">
          <p>Its ledger did not balance. No credits can be spent until the operator has resolved this.</p>
        </Notice>
      ) : null}
      {plan === 'none' ? (
        <Notice tone="warning" title="No active plan">
          <p>You can read earlier results. To check new addresses, ask the operator for a plan.</p>
        </Notice>
      ) : null}
    </>
  );
}

const mayDo = {
  owner: 'You are an owner: you may do everything here.',
  member: 'You are a member: you may check addresses and lists, and look at the account.',
  viewer: 'You are a viewer: you may look at everything here, and change nothing.',
} as const;

/** Who is signed in with the provider, what they may do, and their other accounts. */
function SignedInAs({ person, accountId }: { person: SessionPerson; accountId: string }) {
  const others = person.accounts.filter(({ account_id: id }) => id !== accountId);
  return (
    <section class="card" aria-labelledby="person-title">
      <h2 id="person-title">Signed in as {person.name ?? person.email ?? person.person_id}</h2>
      <p>{mayDo[person.role]}</p>
      {others.map(({ account_id: id, name }) => (
        <ProviderButton key={id} label={`Open ${name}`} wanted={{ account_id: id }} />
      ))}
    </section>
  );
}
