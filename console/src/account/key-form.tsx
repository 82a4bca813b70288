import { useSignal } from '@preact/signals';
import { contractLimits, type KeyMode, type KeyRequest } from '@mailproof/client';
import { changedLimits, KeyLimitFields, noLimitTexts } from './key-limit-fields.tsx';

/** A new key: its name, whether it is live, and what it is limited to. */
export function KeyForm({ onCreate }: { onCreate: (wish: KeyRequest) => Promise<void> }) {
  const name = useSignal('');
  const mode = useSignal<KeyMode>('live');
  const texts = useSignal(noLimitTexts);
  const create = async () => {
    const named = name.value.trim();
    const limits = changedLimits(
      mode.value === 'test' ? { ...texts.value, credits: '' } : texts.value,
      noLimitTexts,
    );
    await onCreate({ mode: mode.value, ...(named === '' ? {} : { name: named }), ...limits });
    name.value = '';
    texts.value = noLimitTexts;
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
      <button type="submit" class="button" disabled={texts.value.scopes.length === 0}>
        Create key
      </button>
      <details class="field-wide">
        <summary>Limit what the key may do</summary>
        <KeyLimitFields id="new-key" texts={texts} mode={mode.value} />
      </details>
    </form>
  );
}
