import { useSignal } from '@preact/signals';
import { contractLimits, type KeyMode, type KeyRequest } from '@mailproof/client';

/** A new key: its name, and whether it is live. */
export function KeyForm({ onCreate }: { onCreate: (wish: KeyRequest) => Promise<void> }) {
  const name = useSignal('');
  const mode = useSignal<KeyMode>('live');
  const create = async () => {
    const named = name.value.trim();
    await onCreate({ mode: mode.value, ...(named === '' ? {} : { name: named }) });
    name.value = '';
  };
  return (
    <form
      class="fields"
      aria-label="Create a key"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <div class="field">
        <label for="key-name">Name of the new key</label>
        <input
          id="key-name"
          maxLength={contractLimits.keyNameCharacters}
          autocomplete="off"
          placeholder="for example, newsletter"
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="key-mode">Kind</label>
        <select
          id="key-mode"
          value={mode.value}
          onChange={(event) => (mode.value = event.currentTarget.value === 'test' ? 'test' : 'live')}
        >
          <option value="live">Live: real checks, uses credits</option>
          <option value="test">Test: sandbox, free</option>
        </select>
      </div>
      <button type="submit" class="button">
        Create key
      </button>
    </form>
  );
}
