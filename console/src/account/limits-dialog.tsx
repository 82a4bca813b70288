import { useSignal } from '@preact/signals';
import type { AccountKey, KeyLimitsRequest } from '@mailproof/client';
import { Dialog } from '../parts/dialog.tsx';
import { changedLimits, KeyLimitFields, textsOf } from './key-limit-fields.tsx';

type LimitsProps = {
  apiKey: AccountKey;
  onSave: (limits: KeyLimitsRequest) => Promise<unknown>;
  onClose: () => void;
};

export function LimitsDialog({ apiKey, onSave, onClose }: LimitsProps) {
  const before = textsOf(apiKey);
  const texts = useSignal(before);
  const changed = changedLimits(texts.value, before);
  return (
    <Dialog title={`Limits of ${apiKey.name}`} onClose={onClose}>
      <form
        class="dialog-body"
        onSubmit={(event) => {
          event.preventDefault();
          void onSave(changed);
        }}
      >
        <KeyLimitFields id="change" texts={texts} mode={apiKey.mode} />
        <div class="buttons">
          <button
            type="submit"
            class="button button-main"
            disabled={texts.value.scopes.length === 0 || Object.keys(changed).length === 0}
          >
            Save limits
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
