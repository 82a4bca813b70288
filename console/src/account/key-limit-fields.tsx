import type { Signal } from '@preact/signals';
import {
  keyScopes,
  type KeyLimits,
  type KeyLimitsRequest,
  type KeyMode,
  type KeyScope,
} from '@mailproof/client';

/** The limits of a key as they stand in a form. */
type LimitTexts = { scopes: readonly KeyScope[]; expires: string; ips: string; credits: string };

const scopeTexts: Record<KeyScope, string> = {
  verify: 'Verify single addresses',
  tasks: 'Create and read tasks',
  lists: 'Upload, run and download lists',
  'account:read': 'See the account, and sign in here',
  'account:write': 'Manage keys and webhooks',
};

export const noLimitTexts: LimitTexts = { scopes: keyScopes, expires: '', ips: '', credits: '' };

export function textsOf({ scopes, expires_at, allowed_ips, credits_per_day }: KeyLimits): LimitTexts {
  return {
    scopes: scopes ?? keyScopes,
    expires: expires_at?.slice(0, 10) ?? '',
    ips: allowed_ips?.join(' ') ?? '',
    credits: credits_per_day === null ? '' : String(credits_per_day),
  };
}

/** What was changed in the form, and nothing else: a time is shown as its day, and must not be cut to it. */
export function changedLimits(texts: LimitTexts, before: LimitTexts): KeyLimitsRequest {
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

/** `id` tells the fields of one form from those of another. */
export function KeyLimitFields({
  id,
  texts,
  mode,
}: {
  id: string;
  texts: Signal<LimitTexts>;
  mode: KeyMode;
}) {
  const { scopes, expires, ips, credits } = texts.value;
  const set = (change: Partial<LimitTexts>) => (texts.value = { ...texts.value, ...change });
  const toggle = (scope: KeyScope) =>
    set({ scopes: keyScopes.filter((one) => (one === scope) !== scopes.includes(one)) });
  return (
    <div class="stack">
      <fieldset class="choices">
        <legend>The key may</legend>
        {keyScopes.map((scope) => (
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
