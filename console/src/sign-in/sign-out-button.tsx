import { useSignal } from '@preact/signals';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { useConsole } from '../app/use-console.ts';
import { useSignOut } from './use-sign-out.ts';

/** Signs out at once, unless a list is being checked: it would be removed from this browser. */
export function SignOutButton() {
  const { lists } = useConsole();
  const signOut = useSignOut();
  const isAsking = useSignal(false);
  const { kind } = lists.state.value;
  const isUnderWay = kind === 'running' || kind === 'paused';
  return (
    <>
      <button
        type="button"
        class="button button-quiet"
        onClick={() => (isUnderWay ? (isAsking.value = true) : signOut())}
      >
        Sign out
      </button>
      {isAsking.value ? (
        <ConfirmDialog
          title="Sign out while a list is being checked?"
          confirm="Remove the list and sign out"
          isDangerous
          onClose={() => (isAsking.value = false)}
          onConfirm={() => {
            isAsking.value = false;
            signOut();
          }}
        >
          <p>
            The list and its results will be removed from this browser. Tasks that have already been created
            will finish and be charged. Their results stay under Tasks.
          </p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}
