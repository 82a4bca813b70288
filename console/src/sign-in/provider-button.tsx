import { useSignal } from '@preact/signals';
import type { ProviderSignIn } from '@mailproof/client';
import { failureOf, type Failure } from '../api/failure.ts';
import { useConsole } from '../app/use-console.ts';
import { FailureNotice } from '../loading/failure-notice.tsx';

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
