import type { ListRecord } from '@mailproof/client';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Failure, failureOf } from '../../api/call.ts';
import { pathTo } from '../../app/base-path.ts';
import { useEvery } from '../../app/loading.ts';
import { useConsole } from '../../app/use-console.ts';
import { ConfirmDialog, Facts, Icon } from '../../parts/elements.tsx';
import { downloadPath } from './upload.ts';

export type FollowedList = {
  list: ReadonlySignal<ListRecord | undefined>;
  /** The failure of the last read. */
  failure: ReadonlySignal<Failure | undefined>;
  /** The failure of the last action. */
  refusal: ReadonlySignal<Failure | undefined>;
  isBusy: ReadonlySignal<boolean>;
  /** Changes the list and shows the new state; returns whether it succeeded. */
  act(work: () => Promise<ListRecord | undefined>): Promise<boolean>;
};

const lookAgainMs = 1_500;

/** Follows one list of the service: reads it again while it changes, and after a failed read. */
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
      // The answer of an action in the meantime is newer.
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
      // The answer may be lost after a success, or the list may have changed elsewhere.
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

/** The counts of the file. */
export function ListCounts({ list }: { list: ListRecord }) {
  const facts = [
    ['Rows', list.rows],
    ['Addresses', list.addresses],
    ['Duplicates', list.duplicates],
    ['Blank', list.blank],
    ['Not an address', list.rejected],
    ['Repaired', list.repaired],
  ] as const;
  return <Facts facts={facts} />;
}

const choices = [
  { value: 'all', label: 'All rows' },
  { value: 'sendable', label: 'Can be mailed (safe, role accounts)' },
  { value: 'risky', label: 'Risky (catch-all, inbox full, unknown)' },
  { value: 'undeliverable', label: 'Should not be mailed' },
] as const;

const formats = [
  { value: 'csv', label: 'CSV' },
  { value: 'xlsx', label: 'Excel (.xlsx)' },
  { value: 'jsonl', label: 'JSON Lines' },
] as const;

/** The download of the results: rows and format. */
export function DownloadForm({ list }: { list: ListRecord }) {
  const rows = useSignal<string>('all');
  const format = useSignal<string>('csv');
  const withRoles = useSignal(true);
  const wish = { rows: rows.value, format: format.value, withRoles: withRoles.value };
  return (
    <div class="fields download-form" role="group" aria-label="Download">
      <div class="field">
        <label for="download-rows">Rows to download</label>
        <select
          id="download-rows"
          value={rows.value}
          onChange={(event) => (rows.value = event.currentTarget.value)}
        >
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="download-format">Format</label>
        <select
          id="download-format"
          value={format.value}
          onChange={(event) => (format.value = event.currentTarget.value)}
        >
          {formats.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {rows.value === 'sendable' ? (
        <label class="inline-field">
          <input
            type="checkbox"
            checked={withRoles.value}
            onChange={(event) => (withRoles.value = event.currentTarget.checked)}
          />
          With role accounts
        </label>
      ) : null}
      <a
        class={hasEnded(list) ? 'button button-main' : 'button'}
        href={pathTo(downloadPath(list.list_id, wish))}
        download=""
      >
        <Icon name="download" />
        {hasEnded(list) ? 'Download' : 'Download results so far'}
      </a>
    </div>
  );
}

/** Deletes the list after a confirmation. */
export function DeleteList({ followed, list }: { followed: FollowedList; list: ListRecord }) {
  const { api, router, announcer } = useConsole();
  const isAsking = useSignal(false);
  const remove = async () => {
    isAsking.value = false;
    const isDone = await followed.act(async () => {
      await api.client.lists.remove(list.list_id);
      return undefined;
    });
    if (!isDone) return;
    announcer.say('The list was deleted');
    router.go('/lists');
  };
  return (
    <>
      <button type="button" class="button button-danger" onClick={() => (isAsking.value = true)}>
        Delete
      </button>
      {isAsking.value ? (
        <ConfirmDialog
          title={`Delete ${list.name}?`}
          confirm="Delete list"
          isDangerous
          onClose={() => (isAsking.value = false)}
          onConfirm={() => void remove()}
        >
          <p>
            The list and its results are erased for everyone who uses this account. This cannot be undone.
            {list.state === 'running' || list.state === 'paused' ? ' Results so far are charged.' : ''}
          </p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}
