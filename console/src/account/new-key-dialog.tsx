import type { CreatedKey } from '@mailproof/client';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';

/** The only time a key is seen whole. */
export function NewKeyDialog({ made, onClose }: { made: CreatedKey; onClose: () => void }) {
  return (
    <Dialog title="Copy the new key now" onClose={onClose}>
      <p>It is shown this once. What is kept of it cannot be turned back into the key.</p>
      <p class="secret">
        <code>{made.api_key}</code>
      </p>
      <div class="buttons">
        <CopyButton text={made.api_key} what="the key" />
        <button type="button" class="button" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
