import { useSignal } from '@preact/signals';
import { useConsole } from '../shell/use-console.ts';
import { Icon } from './icon.tsx';

/** Copies with one click; where the browser does not let it, says so, and the text can be selected by hand. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { announcer } = useConsole();
  const label = useSignal(`Copy ${what}`);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      label.value = 'Copied';
    } catch {
      label.value = 'Select it and copy by hand';
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
