import type { ListRecord } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { pathTo } from '../../app/base-path.ts';
import { FailureNotice, Page } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { CreditsMissing } from '../../core/check/check-page.tsx';
import { OutcomeCharts, providersShown } from '../../parts/charts.tsx';
import { ConfirmDialog, Notice, Time } from '../../parts/elements.tsx';
import { counted, grouped, percent } from '../../parts/format.ts';
import { providerName } from '../../parts/providers.ts';
import { inOrder, topProviders } from '../../parts/statuses.ts';
import {
  DeleteList,
  DownloadForm,
  type FollowedList,
  hasEnded,
  ListCounts,
  useList,
} from './followed-list.tsx';
import { headlineOf, othersOf } from './headline.ts';
import { ListRowsCard } from './list-rows-card.tsx';
import { stateWords } from './lists-page.tsx';
import { SurveyedList } from './surveyed-list.tsx';

/** One list, from the survey to the results. */
export function ListPage({ id }: { id: string }) {
  const followed = useList(id);
  const list = followed.list.value;
  const failure = followed.failure.value;
  useAnnouncements(list);
  return (
    <Page title={list?.name ?? 'List'} lead={<a href={pathTo('/lists')}>All lists</a>}>
      {failure === undefined ? null : <FailureNotice failure={failure} />}
      {list === undefined ? (
        failure === undefined ? (
          <p class="hint">Loading …</p>
        ) : null
      ) : (
        <>
          {list.sandbox ? <SandboxNotice /> : null}
          <Refusal followed={followed} list={list} />
          <CurrentState followed={followed} list={list} />
          {list.state === 'surveyed' ? null : <Results list={list} />}
        </>
      )}
    </Page>
  );
}

function SandboxNotice() {
  return (
    <Notice tone="warning" title="This is a sandbox list">
      <p>It was uploaded with a test key. Its results are made up, and no mail server is contacted.</p>
    </Notice>
  );
}

function Refusal({ followed, list }: { followed: FollowedList; list: ListRecord }) {
  const refusal = followed.refusal.value;
  if (refusal === undefined) return null;
  return (
    <FailureNotice failure={refusal}>
      {refusal.reason === 'insufficient_credits' ? <CreditsMissing needed={list.addresses} /> : null}
    </FailureNotice>
  );
}

function CurrentState({ followed, list }: { followed: FollowedList; list: ListRecord }) {
  switch (list.state) {
    case 'surveyed':
      return <SurveyedList key={list.list_id} followed={followed} list={list} />;
    case 'running':
    case 'paused':
      return <RunningList followed={followed} list={list} />;
    case 'completed':
    case 'cancelled':
      return <EndedList followed={followed} list={list} />;
  }
}

function Results({ list }: { list: ListRecord }) {
  const statuses = inOrder(list.by_status);
  return (
    <>
      <OutcomeCharts
        total={statuses.reduce((sum, { count }) => sum + count, 0)}
        statuses={statuses}
        providers={topProviders(namedProviders(list), providersShown)}
      />
      <ListRowsCard list={list} />
    </>
  );
}

function namedProviders({
  by_provider_and_status: counts,
}: ListRecord): ListRecord['by_provider_and_status'] {
  return Object.fromEntries(Object.entries(counts).map(([id, statuses]) => [providerName(id), statuses]));
}

/** Announces every tenth and the end to screen readers. */
function useAnnouncements(list: ListRecord | undefined): void {
  const { announcer } = useConsole();
  const tenth = list?.state === 'running' ? Math.floor(list.progress_percentage / 10) : undefined;
  useEffect(() => {
    if (tenth !== undefined) announcer.say(`${tenth * 10} % checked`);
  }, [tenth]);
  const isDone = list !== undefined && hasEnded(list);
  useEffect(() => {
    if (isDone)
      announcer.say(list.state === 'completed' ? 'The list has been checked' : 'The list is cancelled');
  }, [isDone]);
}

type RunningListProps = { followed: FollowedList; list: ListRecord };

/** The progress of the run, its waiting addresses and its expected end, or the pause. */
function RunningList({ followed, list }: RunningListProps) {
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

/** A list that has ended: the headline, its counts, its cost and the downloads. */
function EndedList({ followed, list }: { followed: FollowedList; list: ListRecord }) {
  const { addresses, wanted, checked, state } = list;
  return (
    <section class="card progress-card" aria-labelledby="ended-title">
      <h2 id="ended-title" class="headline">
        {headlineOf(list)}
      </h2>
      <p>
        {othersOf(list).join(' ')}
        {state === 'cancelled'
          ? ` The check was cancelled: ${counted(wanted - checked, 'address was', 'addresses were')} not checked.`
          : ''}
        {wanted < addresses
          ? ` ${counted(addresses - wanted, 'address was', 'addresses were')} left out.`
          : ''}
      </p>
      <ListCounts list={list} />
      <DownloadForm list={list} />
      <div class="ended-foot">
        <p class="hint">
          {stateWords[state]} <Time at={list.ended_at ?? list.created_at} />.{' '}
          {list.sandbox
            ? 'Nothing was charged (sandbox).'
            : `${counted(list.credits_used, 'credit')} charged.`}{' '}
          Kept until <Time at={list.expires_at} />.
        </p>
        <div class="buttons">
          <button type="button" class="button" onClick={() => window.print()}>
            Print report
          </button>
          <DeleteList followed={followed} list={list} />
        </div>
      </div>
    </section>
  );
}
