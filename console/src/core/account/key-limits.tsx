import {
  type AccountKey,
  contractLimits,
  type KeyLimits,
  type KeyLimitsRequest,
  type KeyMode,
  type KeyRequest,
  type KeyScope,
  keyScopes,
} from '@mailproof/client';
import { type Signal, useSignal } from '@preact/signals';
import { useConsole } from '../../app/use-console.ts';
import { Dialog } from '../../parts/elements.tsx';

/** A form for a new key: its name, mode and limits. */
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

/** The limits of a key as texts of a form. */
type LimitTexts = { scopes: readonly KeyScope[]; expires: string; ips: string; credits: string };

const scopeTexts: Record<KeyScope, string> = {
  verify: 'Verify single addresses',
  tasks: 'Create and read tasks',
  lists: 'Upload, run and download lists',
  'account:read': 'See the account, and sign in here',
  'account:write': 'Manage keys and webhooks',
};

const noLimitTexts: LimitTexts = { scopes: keyScopes, expires: '', ips: '', credits: '' };

function textsOf({ scopes, expires_at, allowed_ips, credits_per_day }: KeyLimits): LimitTexts {
  return {
    scopes: scopes ?? keyScopes,
    expires: expires_at?.slice(0, 10) ?? '',
    ips: allowed_ips?.join(' ') ?? '',
    credits: credits_per_day === null ? '' : String(credits_per_day),
  };
}

/** Returns only the changed limits: the form shows a time as its day, and must not cut it to that. */
function changedLimits(texts: LimitTexts, before: LimitTexts): KeyLimitsRequest {
  const { scopes, expires, ips, credits } = texts;
  const blocks = ips.split(/[\s,]+/).filter((block) => block !== '');
  return {
    ...(scopes.join() === before.scopes.join()
      ? {}
      : { scopes: scopes.length === keyScopes.length ? null : [...scopes] }),
    ...(expires === before.expires ? {} : { expires_at: expires === '' ? null : expires }),
    ...(ips === before.ips ? {} : { allowed_ips: blocks.length === 0 ? null : blocks }),
    ...(credits === before.credits ? {} : { credits_per_day: credits === '' ? null : Number(credits) }),
  };
}

/** The fields of a key's limits. `id` makes the fields of each form unique. */
function KeyLimitFields({ id, texts, mode }: { id: string; texts: Signal<LimitTexts>; mode: KeyMode }) {
  const { features } = useConsole();
  const { scopes, expires, ips, credits } = texts.value;
  const set = (change: Partial<LimitTexts>) => (texts.value = { ...texts.value, ...change });
  const toggle = (scope: KeyScope) =>
    set({ scopes: keyScopes.filter((one) => (one === scope) !== scopes.includes(one)) });
  return (
    <div class="stack">
      <fieldset class="choices">
        <legend>The key may</legend>
        {keyScopes
          .filter((scope) => scope !== 'lists' || features.has('lists'))
          .map((scope) => (
            <label key={scope} class="inline-field">
              <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />{' '}
              {scopeTexts[scope]}
            </label>
          ))}
      </fieldset>
      <div class="field">
        <label for={`${id}-expires`}>Stops working at the start of this day (UTC)</label>
        <input
          id={`${id}-expires`}
          type="date"
          value={expires}
          onInput={(event) => set({ expires: event.currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for={`${id}-ips`}>Only from these IP addresses or blocks</label>
        <input
          id={`${id}-ips`}
          autocomplete="off"
          placeholder="192.0.2.0/24 2001:db8::/32"
          value={ips}
          onInput={(event) => set({ ips: event.currentTarget.value })}
        />
      </div>
      {mode === 'test' ? null : (
        <div class="field">
          <label for={`${id}-credits`}>Most credits a day</label>
          <input
            id={`${id}-credits`}
            type="number"
            min="1"
            value={credits}
            onInput={(event) => set({ credits: event.currentTarget.value })}
          />
        </div>
      )}
    </div>
  );
}

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
