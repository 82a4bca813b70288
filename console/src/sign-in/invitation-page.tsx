import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Page } from '../app/page.tsx';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { ProviderButton } from './provider-button.tsx';
import { useSignInOptions } from './use-sign-in-options.ts';

/** Where the link of an invitation leads. What it holds stands behind the `#`, and is taken out of the address bar. */
export function InvitationPage() {
  const token = useSignal(location.hash.slice(1));
  const options = useSignInOptions();
  useEffect(() => history.replaceState(null, '', location.pathname), []);
  const name = options.value.value?.provider?.name;
  return (
    <Page title="You are invited" lead="Somebody wants to work with you in Mailproof.">
      <div class="card sign-in">
        {options.failure.value === undefined ? null : <FailureNotice failure={options.failure.value} />}
        <p>
          Sign in to accept the invitation. It is good once, for seven days after it was made; if it names an
          address, sign in with that one.
        </p>
        {token.value === '' ? (
          <p>The link is not complete. Copy the whole link from the message and open it again.</p>
        ) : name === undefined ? null : (
          <ProviderButton label={`Accept and sign in with ${name}`} wanted={{ invitation: token.value }} />
        )}
      </div>
    </Page>
  );
}
