import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Failure, failureOf } from '../api/call.ts';

export type Loaded<Value> = {
  value: ReadonlySignal<Value | undefined>;
  failure: ReadonlySignal<Failure | undefined>;
  /** There has been an answer or a failure. */
  isSettled: ReadonlySignal<boolean>;
  reload(): Promise<void>;
};

/** Reads a value when the view appears, and when its dependencies change. The old value stays meanwhile. */
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

/** Repeats the work while the page is visible. */
export function useEvery(ms: number, work: () => void, isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') work();
    }, ms);
    return () => clearInterval(timer);
  }, [isWanted]);
}

type OnePage<Item> = { items: Item[]; next: string | null };

export type Pages<Item> = {
  items: ReadonlySignal<Item[]>;
  /** No page was read yet. */
  isFirst: ReadonlySignal<boolean>;
  hasMore: ReadonlySignal<boolean>;
  failure: ReadonlySignal<Failure | undefined>;
  /** There has been an answer or a failure. */
  isSettled: ReadonlySignal<boolean>;
  more(): Promise<void>;
  /** Reads the first page again, and drops the others. */
  reload(): Promise<void>;
};

/** Reads a list page by page, the newest items first. */
export function usePages<Item>(
  load: (before: string | undefined) => Promise<OnePage<Item>>,
  dependsOn: unknown[] = [],
): Pages<Item> {
  const items = useSignal<Item[]>([]);
  const next = useSignal<string | null>(null);
  const isFirst = useSignal(true);
  const hasMore = useSignal(false);
  const failure = useSignal<Failure | undefined>(undefined);
  const isSettled = useSignal(false);
  const read = async (before: string | undefined) => {
    try {
      const page = await load(before);
      items.value = before === undefined ? page.items : [...items.peek(), ...page.items];
      next.value = page.next;
      hasMore.value = page.next !== null;
      failure.value = undefined;
      isFirst.value = false;
    } catch (error) {
      failure.value = failureOf(error);
    }
    isSettled.value = true;
  };
  useEffect(() => void read(undefined), dependsOn);
  return {
    items,
    isFirst,
    hasMore,
    failure,
    isSettled,
    more: () => read(next.peek() ?? undefined),
    reload: () => read(undefined),
  };
}

export type Attempt = (work: () => Promise<unknown>) => Promise<void>;

/** Attempts changes and keeps the failure of the last one. `afterwards` runs in either case. */
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
