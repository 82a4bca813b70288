import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { failureOf, type Failure } from '../api/failure.ts';

export type Loaded<Value> = {
  value: ReadonlySignal<Value | undefined>;
  failure: ReadonlySignal<Failure | undefined>;
  /** Whether there has been an answer, good or bad. */
  isSettled: ReadonlySignal<boolean>;
  reload(): Promise<void>;
};

/** Reads something when the view appears, and whenever what it depends on changes. What was read before stays meanwhile. */
export function useLoaded<Value>(load: () => Promise<Value>, dependsOn: unknown[] = []): Loaded<Value> {
  const value = useSignal<Value | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const isSettled = useSignal(false);
  const reload = async () => {
    try {
      value.value = await load();
      failure.value = undefined;
    } catch (error) {
      failure.value = failureOf(error);
    }
    isSettled.value = true;
  };
  useEffect(() => void reload(), dependsOn);
  return { value, failure, isSettled, reload };
}

/** Reads again every so often, as long as the page is seen. */
export function useEvery(ms: number, work: () => void, isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') work();
    }, ms);
    return () => clearInterval(timer);
  }, [isWanted]);
}
