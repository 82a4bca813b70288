import { useSignal } from '@preact/signals';
import { useConsole } from '../app/use-console.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';

type SecretDialogProps = { title: string; text: string; secret: string; what: string; onClose: () => void };

/** The only time a key or a secret is shown whole. */
export function SecretDialog({ title, text, secret, what, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <p class="secret">
        <code>{secret}</code>
      </p>
      <div class="buttons">
        <CopyButton text={secret} what={what} />
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
      label.value = `Select ${what} and copy it`;
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
