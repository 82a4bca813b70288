import type { PersonRole } from '@mailproof/client';
import type { Actor } from '../../core/ledger/record-change.ts';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { actorOf, type Caller } from '../../core/keys/authenticate.ts';
import type { Identity } from './oidc/create-provider.ts';
import type { ProviderVisit } from './oidc/provider-visit.ts';
import {
  invite,
  listInvitations,
  withdrawInvitation,
  type Invitation,
  type InviteAnswer,
  type WithdrawAnswer,
} from './invitations.ts';
import {
  changeRole,
  listPeople,
  removePerson,
  type ChangeRoleAnswer,
  type Person,
  type RemovePersonAnswer,
} from './people.ts';
import { recogniseIdentity, type RecogniseAnswer } from './recognise-identity.ts';

/** What may be seen and done of the people of an account, by its owners and by the operator. */
export type PeopleActions = {
  list(accountId: string): Promise<{ people: Person[]; invitations: Invitation[] }>;
  invite(wish: InvitationWish, actor: Actor): Promise<InviteAnswer>;
  withdraw(caller: Caller, invitationId: string): Promise<WithdrawAnswer>;
  changeRole(caller: Caller, change: { personId: string; role: PersonRole }): Promise<ChangeRoleAnswer>;
  remove(caller: Caller, personId: string): Promise<RemovePersonAnswer>;
  /** Who has signed in, and every account they are in; nothing where they were removed meanwhile. */
  describe(personId: string): Promise<DescribedPerson | undefined>;
  recognise(identity: Identity, visit: ProviderVisit): Promise<RecogniseAnswer>;
};

type InvitationWish = { accountId: string; role: PersonRole; email: string | null };

export type DescribedPerson = {
  personId: string;
  email: string | null;
  name: string | null;
  role: PersonRole;
  accounts: { accountId: string; name: string }[];
};

type PeopleActionsParts = {
  store: Pick<Store, 'withRequestDeadline' | 'writeAlone'>;
  wallClock: WallClock;
  operators: readonly string[];
};

export function createPeopleActions({ store, wallClock, operators }: PeopleActionsParts): PeopleActions {
  /** Everything that one request asks for shares one deadline, but for changes of people, which wait for each other. */
  const inTime = () => ({
    store: { ...store.withRequestDeadline('work'), writeAlone: store.writeAlone },
    wallClock,
  });
  const changing = (caller: Caller) => ({ ...inTime(), actor: actorOf(caller) });
  return {
    list: async (accountId) => {
      const parts = inTime();
      return {
        people: await listPeople(accountId, parts),
        invitations: await listInvitations(accountId, parts),
      };
    },
    invite: (wish, actor) => invite(wish, { ...inTime(), actor }),
    withdraw: (caller, invitationId) =>
      withdrawInvitation({ accountId: caller.accountId, invitationId }, changing(caller)),
    changeRole: (caller, change) => changeRole({ accountId: caller.accountId, ...change }, changing(caller)),
    remove: (caller, personId) => removePerson({ accountId: caller.accountId, personId }, changing(caller)),
    describe: (personId) => describePerson(personId, inTime()),
    recognise: (identity, visit) => recogniseIdentity(identity, visit, { ...inTime(), operators }),
  };
}

/** Wherever the same provider knows the same subject. */
const findEverywhere = statement((db, arg: { person: string }) =>
  db
    .selectFrom('person as self')
    .innerJoin('person', (join) =>
      join.onRef('person.issuer', '=', 'self.issuer').onRef('person.subject', '=', 'self.subject'),
    )
    .innerJoin('account', 'account.id', 'person.account_id')
    .select(['person.id', 'person.email', 'person.name', 'person.role'])
    .select(['account.id as account_id', 'account.name as account_name'])
    .where('self.id', '=', arg.person)
    .orderBy('account.name')
    .orderBy('account.id'),
);

async function describePerson(
  personId: string,
  { store }: { store: Pick<Store, 'read'> },
): Promise<DescribedPerson | undefined> {
  const rows = await store.read.all(findEverywhere, { person: personId });
  const self = rows.find(({ id }) => id === personId);
  if (self === undefined) return undefined;
  const accounts = rows.map((row) => ({ accountId: row.account_id, name: row.account_name }));
  return { personId, email: self.email, name: self.name, role: self.role, accounts };
}
