import { useSignal } from '@preact/signals';
import { personRoles, type InvitationRequest, type PersonRole } from '@mailproof/client';

/** An invitation for an address, or for whoever gets the link. */
export function InvitationForm({ onInvite }: { onInvite: (wish: InvitationRequest) => Promise<void> }) {
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
      aria-label="Invite somebody"
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
