import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../support/api-client.ts';
import type { Random } from '../../support/random.ts';
import { act, read, upload } from './list-requests.ts';
import { newList, type ListOwner, type ListWatch, type WatchedList } from './watched-list.ts';

/**
 * Several clients side by side over any number of restarts: each sends one request after another about any of the
 * lists.
 */
type ListLoadParts = {
  watch: ListWatch;
  owners: readonly [ListOwner, ...ListOwner[]];
  random: Random;
  newNumber: () => number;
  /** Returns undefined while the API is down. */
  client: () => ApiClient | undefined;
};

const clients = 5;
/** The more lists run at once, the longer the end takes. */
const openListsAtMost = 12;
const waitMs = 20;

export function startListLoad(parts: ListLoadParts): { end(): Promise<void> } {
  const over = new AbortController();
  const running = Array.from({ length: clients }, () => beClient(parts, over.signal));
  return {
    end: async () => {
      over.abort();
      await Promise.all(running);
    },
  };
}

async function beClient(parts: ListLoadParts, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const client = parts.client();
    if (client !== undefined) await doSomething(parts, client);
    await sleep(waitMs);
  }
}

async function doSomething({ watch, owners, random, newNumber }: ListLoadParts, client: ApiClient) {
  const asking = { watch, client };
  const known = watch.lists.filter(({ listId }) => listId !== undefined);
  const [first, ...more] = known.filter((list) => !list.acknowledged.has('delete')).slice(-20);
  const share = random.next();
  const open = known.filter(isOpen).length;
  if (first === undefined || (share < 0.25 && open < openListsAtMost)) {
    const list = newList({ random, newNumber, ordinal: watch.lists.length }, random.oneOf(owners));
    watch.lists.push(list);
    return upload(asking, list);
  }
  if (share < 0.32) return repeatUpload(asking, watch, random);
  const list = random.oneOf([first, ...more]);
  if (share < 0.55) return act(asking, list, 'start');
  if (share < 0.63) return act(asking, list, 'pause');
  if (share < 0.75) return act(asking, list, 'resume');
  if (share < 0.78) return act(asking, list, 'cancel');
  if (share < 0.81 && list.owner.deletes) return act(asking, list, 'delete');
  return read(asking, list, share < 0.9 ? 'record' : 'download');
}

function isOpen({ acknowledged, asked, checked, rows }: WatchedList): boolean {
  return !acknowledged.has('delete') && !asked.has('cancel') && checked < rows.length / 2;
}

async function repeatUpload(
  asking: { watch: ListWatch; client: ApiClient },
  { lists }: ListWatch,
  random: Random,
): Promise<void> {
  const [first, ...more] = lists.filter(canBeRepeated).slice(-10);
  if (first !== undefined) await upload(asking, random.oneOf([first, ...more]));
}

/** Tells whether an upload can be repeated: after a deletion, nothing is promised of its repetition. */
export function canBeRepeated({ idempotencyKey, isCut, asked }: WatchedList): boolean {
  return idempotencyKey !== undefined && !isCut && !asked.has('delete');
}
