import { useSignal, type Signal } from '@preact/signals';
import { failureOf, type Failure } from '../api/failure.ts';

export type Attempt = (work: () => Promise<unknown>) => Promise<void>;

/** A change that the service is asked for, and why it was not made, where it was not. `afterwards` follows either way. */
export function useAttempt(afterwards?: () => Promise<void>): {
  attempt: Attempt;
  failure: Signal<Failure | undefined>;
} {
  const failure = useSignal<Failure | undefined>(undefined);
  const attempt: Attempt = async (work) => {
    try {
      failure.value = undefined;
      await work();
    } catch (error) {
      failure.value = failureOf(error);
    }
    await afterwards?.();
  };
  return { attempt, failure };
}
