import { useSignOut } from './use-sign-out.ts';

/** Lists and tasks go on in the service and are there again at the next sign-in, so nothing is asked. */
export function SignOutButton() {
  const signOut = useSignOut();
  return (
    <button type="button" class="button button-quiet" onClick={signOut}>
      Sign out
    </button>
  );
}
