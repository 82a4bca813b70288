import {
  type AccountKey,
  contractLimits,
  type CreatedKey,
  type KeyChange,
  type KeyList,
  type KeyRequest,
} from '@mailproof/client';
import { type Signal, useSignal } from '@preact/signals';
import { type Attempt, type Loaded, useAttempt } from '../../app/loading.ts';
import { FailureNotice, SecretDialog } from '../../app/page.tsx';
import { ConfirmDialog, Dialog, Time } from '../../parts/elements.tsx';
import { grouped } from '../../parts/format.ts';
import { KeyForm, LimitsDialog } from './key-limits.tsx';

/** The actions on the keys of an account, for its holder or the operator. */
type KeyActions = {
  keys: Loaded<KeyList>;
  create(wish: KeyRequest): Promise<CreatedKey>;
  change(keyId: string, change: KeyChange): Promise<unknown>;
  remove(keyId: string): Promise<void>;
};

export function KeysCard({ actions }: { actions: KeyActions }) {
  const { keys } = actions;
  const made = useSignal<CreatedKey | undefined>(undefined);
  const { attempt, failure } = useAttempt(() => keys.reload());
  const problem = failure.value ?? keys.failure.value;
  return (
    <section class="card" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      {problem === undefined ? null : <FailureNotice failure={problem} />}
      {keys.value.value === undefined ? null : (
        <KeyTable keys={keys.value.value.keys} actions={actions} attempt={attempt} />
      )}
      <KeyForm
        onCreate={(wish) =>
          attempt(async () => {
            made.value = await actions.create(wish);
          })
        }
      />
      {made.value === undefined ? null : (
        <SecretDialog
          title="Copy the new key now"
          text="You will not see it again. The service does not store the key itself."
          secret={made.value.api_key}
          what="the key"
          onClose={() => (made.value = undefined)}
        />
      )}
    </section>
  );
}

type KeyTableProps = { keys: readonly AccountKey[]; actions: KeyActions; attempt: Attempt };

function KeyTable({ keys, actions, attempt }: KeyTableProps) {
  return (
    <table>
      <caption class="visually-hidden">Keys of the account</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Ends in</th>
          <th scope="col" class="wide-only">
            Created
          </th>
          <th scope="col" class="wide-only">
            Last used
          </th>
          <th scope="col" class="wide-only">
            Credits in 30 days
          </th>
          <th scope="col">
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyRow key={key.key_id} apiKey={key} actions={actions} attempt={attempt} />
        ))}
      </tbody>
    </table>
  );
}

function KeyRow({ apiKey, actions, attempt }: { apiKey: AccountKey; actions: KeyActions; attempt: Attempt }) {
  const asking = useSignal<Asking>('nothing');
  const { name, last4, current } = apiKey;
  const called = name === '' ? `the key ending in ${last4}` : name;
  return (
    <tr>
      <th scope="row">
        {name === '' ? <span class="hint">(no name)</span> : name} <span class="tag">{apiKey.mode}</span>{' '}
        {current ? <span class="tag">this session</span> : null}
        <LimitsHint apiKey={apiKey} />
      </th>
      <td>
        <code>…{last4}</code>
      </td>
      <td class="wide-only">
        <Time at={apiKey.created_at} />
      </td>
      <td class="wide-only">{apiKey.last_used ?? <span class="hint">not yet</span>}</td>
      <td class="wide-only">{grouped(apiKey.credits_used)}</td>
      <td>
        <div class="buttons buttons-end">
          <button
            type="button"
            class="button button-small"
            aria-label={`Rename ${called}`}
            onClick={() => (asking.value = 'rename')}
          >
            Rename
          </button>
          <button
            type="button"
            class="button button-small"
            aria-label={`Limits of ${called}`}
            onClick={() => (asking.value = 'limits')}
          >
            Limits
          </button>
          <button
            type="button"
            class="button button-small button-danger"
            aria-label={`Delete ${called}`}
            onClick={() => (asking.value = 'delete')}
          >
            Delete
          </button>
        </div>
        <KeyDialogs apiKey={apiKey} called={called} asking={asking} actions={actions} attempt={attempt} />
      </td>
    </tr>
  );
}

type Asking = 'nothing' | 'rename' | 'limits' | 'delete';
type KeyDialogsProps = {
  apiKey: AccountKey;
  called: string;
  asking: Signal<Asking>;
  actions: KeyActions;
  attempt: Attempt;
};

function KeyDialogs({ apiKey, called, asking, actions, attempt }: KeyDialogsProps) {
  const { key_id: id, name, current } = apiKey;
  const close = () => (asking.value = 'nothing');
  return (
    <>
      {asking.value === 'limits' ? (
        <LimitsDialog
          apiKey={apiKey}
          onClose={close}
          onSave={(limits) => attempt(() => actions.change(id, limits)).then(close)}
        />
      ) : null}
      {asking.value === 'rename' ? (
        <RenameDialog
          name={name}
          onClose={close}
          onRename={(to) => attempt(() => actions.change(id, { name: to })).then(close)}
        />
      ) : null}
      {asking.value === 'delete' ? (
        <ConfirmDialog
          title={`Delete ${called}?`}
          confirm="Delete key"
          isDangerous
          onClose={close}
          onConfirm={() => void attempt(() => actions.remove(id)).then(close)}
        >
          <p>
            Programs that use this key will be rejected within a second. This cannot be undone.
            {current ? ' You are signed in with this key, so you will be signed out.' : ''}
          </p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}

/** The limits of the key in a line; nothing for a key without limits. */
function LimitsHint({ apiKey }: { apiKey: AccountKey }) {
  const { scopes, expires_at, allowed_ips, credits_per_day, credits_today } = apiKey;
  const limits = [
    ...(scopes === null ? [] : [`only ${scopes.join(', ')}`]),
    ...(expires_at === null ? [] : [`until ${expires_at.slice(0, 16).replace('T', ' ')} UTC`]),
    ...(allowed_ips === null ? [] : [`from ${allowed_ips.join(', ')}`]),
    ...(credits_per_day === null
      ? []
      : [`${grouped(credits_today ?? 0)} of ${grouped(credits_per_day)} credits used today`]),
  ];
  return limits.length === 0 ? null : <div class="hint">{limits.join('; ')}</div>;
}

type RenameProps = { name: string; onRename: (name: string) => Promise<unknown>; onClose: () => void };

function RenameDialog({ name, onRename, onClose }: RenameProps) {
  const wanted = useSignal(name);
  return (
    <Dialog title="Rename key" onClose={onClose}>
      <form
        class="dialog-body"
        onSubmit={(event) => {
          event.preventDefault();
          void onRename(wanted.value.trim());
        }}
      >
        <div class="field">
          <label for="new-name">Name</label>
          <input
            id="new-name"
            required
            maxLength={contractLimits.keyNameCharacters}
            autocomplete="off"
            value={wanted.value}
            onInput={(event) => (wanted.value = event.currentTarget.value)}
          />
        </div>
        <div class="buttons">
          <button type="submit" class="button button-main">
            Save name
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
