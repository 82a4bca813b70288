import { useSignal } from '@preact/signals';
import { failureOf, type Failure } from '../api/failure.ts';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../app/page.tsx';
import { useConsole } from '../app/use-console.ts';
import { pathTo, withoutBasePath } from '../app/base-path.ts';
import { ProviderButton } from './provider-button.tsx';
import { useSignInOptions } from './use-sign-in-options.ts';

/** The ways to sign in that the operator has left open: with the provider, or with a key or the admin token. */
export function SignInPage() {
  const { session } = useConsole();
  const known = useSignInOptions().value.value;
  const state = session.state.value;
  return (
    <Page title="Sign in" lead="Check whether an email address can receive mail, and see the evidence.">
      {state.kind === 'signed_out' && state.hasEnded ? (
        <Notice tone="warning" title="Your session has ended">
          <p>Sign in again to continue where you left off.</p>
        </Notice>
      ) : null}
      {known?.provider ? (
        <div class="card sign-in">
          <ProviderButton label={`Sign in with ${known.provider.name}`} />
        </div>
      ) : null}
      {known?.key === false ? null : <SecretForm />}
    </Page>
  );
}

/** A key opens the account it belongs to, the admin token the operator's pages; which it is shows by itself. */
function SecretForm() {
  const { session, router } = useConsole();
  const secret = useSignal('');
  const failure = useSignal<Failure | undefined>(undefined);
  const isBusy = useSignal(false);

  const signIn = async (event: SubmitEvent) => {
    event.preventDefault();
    isBusy.value = true;
    failure.value = undefined;
    try {
      await session.signIn(secret.value);
      router.replace(withoutBasePath(location.pathname));
    } catch (error) {
      failure.value = failureOf(error);
      document.getElementById('secret')?.focus();
    } finally {
      isBusy.value = false;
    }
  };

  return (
    <form class="card sign-in" onSubmit={(event) => void signIn(event)}>
      {failure.value === undefined ? null : <FailureNotice failure={failure.value} />}
      <label for="secret">API key or admin token</label>
      <input
        id="secret"
        type="password"
        autocomplete="current-password"
        autocapitalize="none"
        spellcheck={false}
        required
        maxLength={512}
        value={secret.value}
        aria-describedby="secret-help"
        aria-invalid={failure.value === undefined ? undefined : true}
        onInput={(event) => {
          secret.value = event.currentTarget.value;
        }}
      />
      <p id="secret-help" class="hint">
        A key starts with <code>mp_live_</code> or <code>mp_test_</code>. It is exchanged for a 12-hour
        session and is not stored in this browser. What it can do is in the{' '}
        <a href={pathTo('/docs')}>documentation of the API</a>.
      </p>
      <button type="submit" class="button button-main" aria-disabled={isBusy.value}>
        {isBusy.value ? 'Signing in …' : 'Sign in'}
      </button>
    </form>
  );
}
