import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ListRecord } from '@mailproof/client';
import { failureOf, type Failure } from '../api/failure.ts';
import { useConsole } from '../app/use-console.ts';
import { useEvery } from '../loading/use-loaded.ts';

export type FollowedList = {
  list: ReadonlySignal<ListRecord | undefined>;
  /** Why it could not be read. */
  failure: ReadonlySignal<Failure | undefined>;
  /** Why the last thing that was asked for was refused. */
  refusal: ReadonlySignal<Failure | undefined>;
  isBusy: ReadonlySignal<boolean>;
  /** Does something to the list and shows what came of it; answers whether it was done. */
  act(work: () => Promise<ListRecord | undefined>): Promise<boolean>;
};

const lookAgainMs = 1_500;

/** One list as the service has it: read again while it changes, and while it could not be read. */
export function useList(id: string): FollowedList {
  const { api, session } = useConsole();
  const list = useSignal<ListRecord | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const refusal = useSignal<Failure | undefined>(undefined);
  const isBusy = useSignal(false);
  const reading = useSignal<symbol | undefined>(undefined);

  const read = async () => {
    if (reading.peek() !== undefined) return;
    const mine = Symbol('reading');
    reading.value = mine;
    try {
      const found = await api.client.lists.read(id);
      // What was done meanwhile has its own answer, which is the newer one.
      if (reading.peek() !== mine) return;
      if (hasEnded(found) && list.peek()?.state === 'running') void session.refresh();
      list.value = found;
      failure.value = undefined;
    } catch (error) {
      if (reading.peek() === mine) failure.value = failureOf(error);
    } finally {
      if (reading.peek() === mine) reading.value = undefined;
    }
  };

  const act = async (work: () => Promise<ListRecord | undefined>) => {
    if (isBusy.peek()) return false;
    isBusy.value = true;
    refusal.value = undefined;
    try {
      const changed = await work();
      reading.value = undefined;
      if (changed !== undefined) list.value = changed;
      return true;
    } catch (error) {
      refusal.value = failureOf(error);
      // It may have been done and only the answer be lost, or it is in another state than was thought.
      void read();
      return false;
    } finally {
      isBusy.value = false;
      void session.refresh();
    }
  };

  useEffect(() => {
    void read();
    // The cost is shown with the current balance.
    void session.refresh();
  }, []);
  const now = list.value;
  const isUnsettled = now === undefined || now.state === 'running' || now.finishing > 0 || now.column < 0;
  const isGone = failure.value?.status === 404;
  useEvery(lookAgainMs, () => void read(), !isGone && (isUnsettled || failure.value !== undefined));
  return { list, failure, refusal, isBusy, act };
}

export function hasEnded({ state }: Pick<ListRecord, 'state'>): boolean {
  return state === 'completed' || state === 'cancelled';
}
