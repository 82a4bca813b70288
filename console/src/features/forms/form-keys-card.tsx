import type { FormKey, FormKeyList, FormKeyRequest } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { pathTo } from '../../app/base-path.ts';
import { type Loaded, useAttempt, useLoaded } from '../../app/loading.ts';
import { FailureNotice } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import type { AccountCard } from '../../core/account/account-page.tsx';
import { ConfirmDialog } from '../../parts/elements.tsx';
import { grouped } from '../../parts/format.ts';

export const formKeysCard: AccountCard = {
  feature: 'forms',
  after: 'keys',
  useCard() {
    const { api } = useConsole();
    const keys = useLoaded(() => api.client.formKeys.list());
    return { reads: [keys], draw: (mayChange) => (mayChange ? <FormKeysCard keys={keys} /> : null) };
  },
};

/** Publishable keys. They are no secrets, so each is shown whole, inside the HTML for a page. */
function FormKeysCard({ keys }: { keys: Loaded<FormKeyList> }) {
  const { api } = useConsole();
  const { attempt, failure } = useAttempt(() => keys.reload());
  const problem = failure.value ?? keys.failure.value;
  return (
    <section class="card" aria-labelledby="form-keys-title">
      <h2 id="form-keys-title">Sign-up forms</h2>
      <p class="hint">
        A publishable key lets a sign-up form on your page catch typos. It is free, and not a secret.
      </p>
      {problem === undefined ? null : <FailureNotice failure={problem} />}
      {keys.value.value?.form_keys.map((key) => (
        <FormKeyRow
          key={key.form_key}
          formKey={key}
          onRemove={() => attempt(() => api.client.formKeys.delete(key.form_key))}
        />
      ))}
      <FormKeyForm onCreate={(wish) => attempt(() => api.client.formKeys.create(wish))} />
    </section>
  );
}

function FormKeyRow({ formKey, onRemove }: { formKey: FormKey; onRemove: () => Promise<void> }) {
  const isAsking = useSignal(false);
  const close = () => (isAsking.value = false);
  const { form_key: key, name, origins } = formKey;
  const input = `<input type="email" data-mailproof="${key}">`;
  return (
    <div>
      <div class="card-head">
        <strong>{name}</strong>
        <button
          type="button"
          class="button button-small button-danger"
          aria-label={`Delete the publishable key ${name}`}
          onClick={() => (isAsking.value = true)}
        >
          Delete
        </button>
      </div>
      <p class="hint">
        {origins.join(', ')} · {grouped(formKey.checks_per_day)} checks a day,{' '}
        {grouped(formKey.checks_per_visitor)} for one visitor
      </p>
      <pre tabIndex={0} aria-label={`HTML for ${name}`}>
        <code>{`<script async src="${location.origin}${pathTo('/form.js')}"></script>\n${input}`}</code>
      </pre>
      {isAsking.value ? (
        <ConfirmDialog
          title={`Delete ${name}?`}
          confirm="Delete key"
          isDangerous
          onClose={close}
          onConfirm={() => void onRemove().then(close)}
        >
          <p>Forms with this key keep working, but without suggestions. This cannot be undone.</p>
        </ConfirmDialog>
      ) : null}
    </div>
  );
}

function FormKeyForm({ onCreate }: { onCreate: (wish: FormKeyRequest) => Promise<void> }) {
  const origin = useSignal('');
  const create = async () => {
    await onCreate({ origins: origin.value.trim().split(/[\s,]+/) });
    origin.value = '';
  };
  return (
    <form
      class="fields"
      aria-label="Create a publishable key"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <div class="field">
        <label for="form-key-origin">Page with the form</label>
        <input
          id="form-key-origin"
          type="text"
          required
          autocomplete="off"
          placeholder="https://www.example.com"
          value={origin.value}
          onInput={(event) => (origin.value = event.currentTarget.value)}
        />
      </div>
      <button type="submit" class="button">
        Create publishable key
      </button>
    </form>
  );
}
