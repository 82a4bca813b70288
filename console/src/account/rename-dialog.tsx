import { useSignal } from '@preact/signals';
import { contractLimits } from '@mailproof/client';
import { Dialog } from '../parts/dialog.tsx';

type RenameProps = { name: string; onRename: (name: string) => Promise<unknown>; onClose: () => void };

export function RenameDialog({ name, onRename, onClose }: RenameProps) {
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
