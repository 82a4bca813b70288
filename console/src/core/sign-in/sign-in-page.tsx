import type { ProviderSignIn, SignInOptions } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { type Failure, failureOf } from '../../api/call.ts';
import { describeFailure } from '../../api/describe-failure.ts';
import { pathTo, withoutBasePath } from '../../app/base-path.ts';
import { type Loaded, useEvery, useLoaded } from '../../app/loading.ts';
import { FailureNotice, Page } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { Notice } from '../../parts/elements.tsx';

/** The ways to sign in that the operator allows: the provider, or a key or the admin token. */
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

/** A form for a key, which opens its account, or the admin token, which opens the operator's pages. */
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
        session and is not stored in this browser. See the{' '}
        <a href={pathTo('/docs')}>documentation of the API</a>.
      </p>
      <button type="submit" class="button button-main" aria-disabled={isBusy.value}>
        {isBusy.value ? 'Signing in …' : 'Sign in'}
      </button>
    </form>
  );
}

/** Sends the browser to the provider, which sends it back signed in. */
export function ProviderButton({ label, wanted = {} }: { label: string; wanted?: ProviderSignIn }) {
  const { api } = useConsole();
  const failure = useSignal<Failure | undefined>(undefined);
  const isBusy = useSignal(false);
  const begin = async () => {
    isBusy.value = true;
    failure.value = undefined;
    try {
      location.assign((await api.session.begin(wanted)).url);
    } catch (error) {
      failure.value = failureOf(error);
      isBusy.value = false;
    }
  };
  return (
    <>
      {failure.value === undefined ? null : <FailureNotice failure={failure.value} />}
      <button
        type="button"
        class="button button-main"
        aria-disabled={isBusy.value}
        onClick={() => void begin()}
      >
        {label}
      </button>
    </>
  );
}

const lookAgainMs = 3_000;

/** Reads the ways to sign in. The provider's button depends on them, so a failed read is repeated. */
export function useSignInOptions(): Loaded<SignInOptions> {
  const { api } = useConsole();
  const options = useLoaded(() => api.session.options());
  useEvery(lookAgainMs, () => void options.reload(), options.failure.value !== undefined);
  return options;
}

/**
 * Returns a function that ends the session and goes to the first page. If the service cannot be reached, it says so and
 * stays.
 */
export function useSignOut(): () => void {
  const { session, router, announcer } = useConsole();
  const signOut = async () => {
    try {
      await session.signOut();
      router.replace('/');
    } catch (error) {
      announcer.say(describeFailure(failureOf(error)).text);
    }
  };
  return () => void signOut();
}
