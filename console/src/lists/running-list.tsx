import { useSignal } from '@preact/signals';
import type { ListRecord } from '@mailproof/client';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { counted, grouped, percent } from '../parts/format.ts';
import { Time } from '../parts/time.tsx';
import { useConsole } from '../app/use-console.ts';
import { DownloadForm } from './download-form.tsx';
import { ListCounts } from './list-counts.tsx';
import type { FollowedList } from './use-list.ts';

type RunningListProps = { followed: FollowedList; list: ListRecord };

/** How far the run is, what it waits for, and when it should end; or that it is paused. */
export function RunningList({ followed, list }: RunningListProps) {
  const { checked, wanted, state } = list;
  return (
    <section class="card progress-card" aria-labelledby="running-title">
      <div class="card-head">
        <h2 id="running-title">{titleOf(list)}</h2>
        <RunButtons followed={followed} list={list} />
      </div>
      <progress class="progress" aria-label="Progress" value={checked} max={Math.max(wanted, 1)}>
        {percent(checked, wanted)}
      </progress>
      <p class="progress-line">
        <span>
          {grouped(checked)} of {grouped(wanted)} checked · {percent(checked, wanted)}
        </span>
        <span>
          {list.expected_end === null ? null : (
            <>
              expected to finish at <Time at={list.expected_end} />
            </>
          )}
        </span>
      </p>
      <p class="hint">
        <Waiting list={list} />{' '}
        {state === 'paused'
          ? `${counted(list.credits_reserved, 'credit stays', 'credits stay')} reserved until you resume or cancel.`
          : 'You can close this page. The check continues on the server.'}
      </p>
      <ListCounts list={list} />
      <DownloadForm list={list} />
    </section>
  );
}

function titleOf({ state, finishing }: ListRecord): string {
  if (state !== 'paused') return 'Checking';
  return finishing > 0 ? `Paused, finishing ${grouped(finishing)}` : 'Paused';
}

function Waiting({ list: { waiting, waiting_until: until } }: { list: ListRecord }) {
  if (waiting === 0) return <>No address is waiting for a mail server.</>;
  return (
    <>
      {counted(waiting, 'address waits', 'addresses wait')} because a mail server asked us to come back later
      {until === null ? (
        '.'
      ) : (
        <>
          {' '}
          (next at <Time at={until} />
          ).
        </>
      )}
    </>
  );
}

function RunButtons({ followed, list: { list_id: id, state } }: RunningListProps) {
  const { api, announcer } = useConsole();
  const isAsking = useSignal(false);
  const isPaused = state === 'paused';
  const toggle = async () => {
    const isDone = await followed.act(() =>
      isPaused ? api.client.lists.resume(id) : api.client.lists.pause(id),
    );
    if (isDone) announcer.say(isPaused ? 'The check has resumed' : 'The list is paused');
  };
  return (
    <div class="buttons">
      <button
        type="button"
        class={isPaused ? 'button button-small button-main' : 'button button-small'}
        aria-disabled={followed.isBusy.value}
        onClick={() => void toggle()}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      <button
        type="button"
        class="button button-small button-danger"
        aria-disabled={followed.isBusy.value}
        onClick={() => (isAsking.value = true)}
      >
        Cancel the check
      </button>
      {isAsking.value ? (
        <ConfirmDialog
          title="Cancel the check?"
          confirm="Cancel the check"
          cancel="Keep checking"
          isDangerous
          onClose={() => (isAsking.value = false)}
          onConfirm={() => {
            isAsking.value = false;
            void followed.act(() => api.client.lists.cancel(id));
          }}
        >
          <p>
            Results so far are kept and charged. The remaining credits are returned, and the list cannot be
            started again.
          </p>
        </ConfirmDialog>
      ) : null}
    </div>
  );
}
