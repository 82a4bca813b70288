/** The cards of people on other pages: the account's page and the operator's page of one account. */
import type { SessionPerson } from '@mailproof/client';
import type { FeatureCard } from '../../app/features.ts';
import { useLoaded } from '../../app/loading.ts';
import { useConsole } from '../../app/use-console.ts';
import type { AccountCard } from '../../core/account/account-page.tsx';
import { ProviderButton } from '../../core/sign-in/sign-in-page.tsx';
import { PeopleCard } from './people-card.tsx';

export const signedInCard: AccountCard = {
  feature: 'people',
  after: 'balance',
  useCard: () => ({ reads: [], draw: () => <SignedInAs /> }),
};

export const accountPeopleCard: AccountCard = {
  feature: 'people',
  after: 'usage',
  useCard: () => ({ reads: [], draw: (mayChange) => (mayChange ? <AccountPeople /> : null) }),
};

export const operatorPeopleCard: FeatureCard<{ accountId: string }> = {
  feature: 'people',
  Card: OperatorPeople,
};

const roleTexts: Readonly<Record<SessionPerson['role'], string>> = {
  owner: 'You are an owner. You can do everything in this account.',
  member: 'You are a member. You can check addresses and lists, and see the account.',
  viewer: 'You are a viewer. You can see everything in this account, but change nothing.',
};

/** The person's role in this account, and their other accounts. A session of a key has no person. */
function SignedInAs() {
  const { session } = useConsole();
  const state = session.state.value;
  if (state.kind !== 'account' || state.person === undefined) return null;
  const { account, person } = state;
  const others = person.accounts.filter(({ account_id: id }) => id !== account.account_id);
  return (
    <section class="card" aria-labelledby="person-title">
      <h2 id="person-title">Signed in as {person.name ?? person.email ?? person.person_id}</h2>
      <p>{roleTexts[person.role]}</p>
      {others.map(({ account_id: id, name }) => (
        <ProviderButton key={id} label={`Open ${name}`} wanted={{ account_id: id }} />
      ))}
    </section>
  );
}

/** The people of the account. Hidden if there is no provider, or the session may not see them. */
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

/** The people of an account, and the invitation of its first owner. Hidden if there is no provider. */
function OperatorPeople({ accountId }: { accountId: string }) {
  const { api } = useConsole();
  const people = useLoaded(async () =>
    (await api.session.options()).provider === null ? undefined : await api.admin.people.list(accountId),
  );
  if (people.value.value === undefined) return null;
  return <PeopleCard actions={{ people, invite: (wish) => api.admin.people.invite(accountId, wish) }} />;
}
