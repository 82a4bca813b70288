import {
  type CreatedInvitation,
  type Invitation,
  type InvitationRequest,
  type PeopleList,
  type Person,
  type PersonRole,
  personRoles,
} from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { type Attempt, type Loaded, useAttempt } from '../../app/loading.ts';
import { FailureNotice, SecretDialog } from '../../app/page.tsx';
import { ConfirmDialog, Time } from '../../parts/elements.tsx';

/** The actions on the people of an account. The operator can only invite. */
type PeopleActions = {
  people: Loaded<PeopleList | undefined>;
  invite(wish: InvitationRequest): Promise<CreatedInvitation>;
  manage?: {
    setRole(personId: string, role: PersonRole): Promise<unknown>;
    remove(personId: string): Promise<void>;
    withdraw(invitationId: string): Promise<void>;
  };
};

export function PeopleCard({ actions }: { actions: PeopleActions }) {
  const { people, manage } = actions;
  const made = useSignal<CreatedInvitation | undefined>(undefined);
  const { attempt, failure } = useAttempt(() => people.reload());
  const invite = (wish: InvitationRequest) =>
    attempt(async () => {
      made.value = await actions.invite(wish);
    });
  const problem = failure.value ?? people.failure.value;
  const known = people.value.value;
  return (
    <section class="card" aria-labelledby="people-title">
      <h2 id="people-title">People</h2>
      <p class="hint">
        Owners can do everything. Members can check addresses and lists. Viewers can only look.
      </p>
      {problem === undefined ? null : <FailureNotice failure={problem} />}
      {known === undefined || known.people.length === 0 ? null : (
        <PeopleTable people={known.people} manage={manage} attempt={attempt} />
      )}
      {known?.invitations.map((invitation) => (
        <InvitationRow
          key={invitation.invitation_id}
          invitation={invitation}
          onWithdraw={manage && (() => attempt(() => manage.withdraw(invitation.invitation_id)))}
        />
      ))}
      <InvitationForm onInvite={invite} />
      {made.value === undefined ? null : (
        <SecretDialog
          title="Copy the invitation now"
          text="Send this link to the person. You will not see it again. It works once and expires in seven days."
          secret={made.value.url}
          what="the link"
          onClose={() => (made.value = undefined)}
        />
      )}
    </section>
  );
}

type TableProps = { people: readonly Person[]; manage: PeopleActions['manage']; attempt: Attempt };

function PeopleTable({ people, manage, attempt }: TableProps) {
  return (
    <table>
      <caption class="visually-hidden">People of the account</caption>
      <thead>
        <tr>
          <th scope="col">Person</th>
          <th scope="col">Role</th>
          <th scope="col" class="wide-only">
            Last sign-in
          </th>
          {manage === undefined ? null : (
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {people.map((person) => (
          <PersonRow key={person.person_id} person={person} manage={manage} attempt={attempt} />
        ))}
      </tbody>
    </table>
  );
}

type RowProps = { person: Person; manage: PeopleActions['manage']; attempt: Attempt };

function PersonRow({ person, manage, attempt }: RowProps) {
  const isAsking = useSignal(false);
  const close = () => (isAsking.value = false);
  const { person_id: id, role } = person;
  const called = person.email ?? person.name ?? id;
  return (
    <tr>
      <th scope="row">
        {called}
        {person.current ? ' (you)' : ''}
      </th>
      <td>
        {manage === undefined ? (
          role
        ) : (
          <select
            aria-label={`Role of ${called}`}
            value={role}
            onChange={(event) => {
              const wanted = personRoles.find((one) => one === event.currentTarget.value) ?? role;
              void attempt(() => manage.setRole(id, wanted));
            }}
          >
            {personRoles.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        )}
      </td>
      <td class="wide-only">
        <Time at={person.signed_in_at} />
      </td>
      {manage === undefined ? null : (
        <td>
          <button
            type="button"
            class="button button-small button-danger"
            aria-label={`Remove ${called}`}
            onClick={() => (isAsking.value = true)}
          >
            Remove
          </button>
          {isAsking.value ? (
            <ConfirmDialog
              title={`Remove ${called}?`}
              confirm="Remove"
              isDangerous
              onClose={close}
              onConfirm={() => void attempt(() => manage.remove(id)).then(close)}
            >
              <p>They are signed out at once. To let them in again, send a new invitation.</p>
            </ConfirmDialog>
          ) : null}
        </td>
      )}
    </tr>
  );
}

type InvitationRowProps = { invitation: Invitation; onWithdraw: (() => Promise<void>) | undefined };

function InvitationRow({ invitation, onWithdraw }: InvitationRowProps) {
  const who = invitation.email ?? 'anyone with the link';
  return (
    <div class="card-head">
      <span>
        Invited as {invitation.role}: {who}, until <Time at={invitation.expires_at} />
      </span>
      {onWithdraw === undefined ? null : (
        <button
          type="button"
          class="button button-small"
          aria-label={`Withdraw the invitation for ${who}`}
          onClick={() => void onWithdraw()}
        >
          Withdraw
        </button>
      )}
    </div>
  );
}

/** A form for an invitation, for one address or for anyone with the link. */
function InvitationForm({ onInvite }: { onInvite: (wish: InvitationRequest) => Promise<void> }) {
  const email = useSignal('');
  const role = useSignal<PersonRole>('member');
  const invite = async () => {
    const text = email.value.trim();
    await onInvite({ role: role.value, ...(text === '' ? {} : { email: text }) });
    email.value = '';
  };
  return (
    <form
      class="fields"
      aria-label="Invite a person"
      onSubmit={(event) => {
        event.preventDefault();
        void invite();
      }}
    >
      <div class="field">
        <label for="invite-email">Address (optional)</label>
        <input
          id="invite-email"
          type="email"
          autocomplete="off"
          maxLength={254}
          value={email.value}
          onInput={(event) => (email.value = event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="invite-role">Role</label>
        <select
          id="invite-role"
          value={role.value}
          onChange={(event) => {
            role.value = personRoles.find((one) => one === event.currentTarget.value) ?? 'member';
          }}
        >
          {personRoles.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" class="button">
        Create invitation
      </button>
    </form>
  );
}
