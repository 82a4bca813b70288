import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { FailureNotice, Page } from '../../app/page.tsx';
import { ProviderButton, useSignInOptions } from '../../core/sign-in/sign-in-page.tsx';

/** The page of an invitation's link. The token stands behind the `#`, and is removed from the address bar. */
export function InvitationPage() {
  const token = useSignal(location.hash.slice(1));
  const options = useSignInOptions();
  useEffect(() => history.replaceState(null, '', location.pathname), []);
  const name = options.value.value?.provider?.name;
  return (
    <Page title="You are invited" lead="Join an account in Mailproof.">
      <div class="card sign-in">
        {options.failure.value === undefined ? null : <FailureNotice failure={options.failure.value} />}
        <p>
          Sign in to accept the invitation. It works once and expires after seven days. If it names an
          address, sign in with that address.
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
