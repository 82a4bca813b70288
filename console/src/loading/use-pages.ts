import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { failureOf, type Failure } from '../api/failure.ts';

type OnePage<Item> = { items: Item[]; next: string | null };

export type Pages<Item> = {
  items: ReadonlySignal<Item[]>;
  /** Nothing was read yet. */
  isFirst: ReadonlySignal<boolean>;
  hasMore: ReadonlySignal<boolean>;
  failure: ReadonlySignal<Failure | undefined>;
  /** Whether there has been an answer, good or bad. */
  isSettled: ReadonlySignal<boolean>;
  more(): Promise<void>;
  /** From the beginning, with as much as one page holds. */
  reload(): Promise<void>;
};

/** A list that is read page by page, the newest first. */
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
