import type { CreatedKey } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { useConsole } from '../app/use-console.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';

/** The only time the whole key is shown. */
export function NewKeyDialog({ made, onClose }: { made: CreatedKey; onClose: () => void }) {
  return (
    <Dialog title="Copy the new key now" onClose={onClose}>
      <p>You will not see it again. The service does not store the key itself.</p>
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

/** Copies with one click; where the browser does not let it, says so, and the text can be selected by hand. */
function CopyButton({ text, what }: { text: string; what: string }) {
  const { announcer } = useConsole();
  const label = useSignal(`Copy ${what}`);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      label.value = 'Copied';
    } catch {
      label.value = 'Select the key and copy it';
    }
    announcer.say(label.value);
  };
  return (
    <button type="button" class="button button-main" onClick={() => void copy()}>
      <Icon name="copy" />
      {label}
    </button>
  );
}
