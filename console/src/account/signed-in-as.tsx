import type { SessionPerson } from '@mailproof/client';
import { ProviderButton } from '../sign-in/provider-button.tsx';

const mayDo = {
  owner: 'You are an owner: you may do everything here.',
  member: 'You are a member: you may check addresses and lists, and look at the account.',
  viewer: 'You are a viewer: you may look at everything here, and change nothing.',
} as const;

/** Who is signed in with the provider, what they may do, and their other accounts. */
export function SignedInAs({ person, accountId }: { person: SessionPerson; accountId: string }) {
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
