import { useSignal } from '@preact/signals';
import type { AccountKey, CreatedKey, KeyList, KeyRequest } from '@mailproof/client';
import { failureOf, type Failure } from '../api/failure.ts';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { Time } from '../parts/time.tsx';
import type { Loaded } from '../loading/use-loaded.ts';
import { KeyForm } from './key-form.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { RenameDialog } from './rename-dialog.tsx';

/** What can be done with the keys of an account; the operator cannot rename them. */
type KeyActions = {
  keys: Loaded<KeyList>;
  create(wish: KeyRequest): Promise<CreatedKey>;
  rename?: (keyId: string, name: string) => Promise<unknown>;
  remove(keyId: string): Promise<void>;
};

export function KeysCard({ actions }: { actions: KeyActions }) {
  const { keys } = actions;
  const made = useSignal<CreatedKey | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const attempt: Attempt = async (work) => {
    try {
      failure.value = undefined;
      await work();
    } catch (error) {
      failure.value = failureOf(error);
    }
    await keys.reload();
  };
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

type Attempt = (work: () => Promise<unknown>) => Promise<void>;
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
  const asking = useSignal<'nothing' | 'rename' | 'delete'>('nothing');
  const close = () => (asking.value = 'nothing');
  const { rename } = actions;
  const { key_id: id, name, last4, current } = apiKey;
  const called = name === '' ? `the key ending in ${last4}` : name;
  return (
    <tr>
      <th scope="row">
        {name === '' ? <span class="hint">(no name)</span> : name} <span class="tag">{apiKey.mode}</span>{' '}
        {current ? <span class="tag">this session</span> : null}
      </th>
      <td>
        <code>…{last4}</code>
      </td>
      <td class="wide-only">
        <Time at={apiKey.created_at} />
      </td>
      <td>
        <div class="buttons buttons-end">
          {rename === undefined ? null : (
            <button
              type="button"
              class="button button-small"
              aria-label={`Rename ${called}`}
              onClick={() => (asking.value = 'rename')}
            >
              Rename
            </button>
          )}
          <button
            type="button"
            class="button button-small button-danger"
            aria-label={`Delete ${called}`}
            onClick={() => (asking.value = 'delete')}
          >
            Delete
          </button>
        </div>
        {asking.value === 'rename' && rename !== undefined ? (
          <RenameDialog
            name={name}
            onClose={close}
            onRename={(to) => attempt(() => rename(id, to)).then(close)}
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
      </td>
    </tr>
  );
}
