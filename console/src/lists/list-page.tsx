import { useEffect } from 'preact/hooks';
import type { ListRecord } from '@mailproof/client';
import { Page } from '../app/page.tsx';
import { useConsole } from '../app/use-console.ts';
import { CreditsMissing } from '../check/credits-missing.tsx';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { Notice } from '../parts/notice.tsx';
import { OutcomeCharts, providersShown } from '../parts/outcome-charts.tsx';
import { providerName } from '../parts/provider-name.ts';
import { inOrder, topProviders } from '../parts/tally.ts';
import { EndedList } from './ended-list.tsx';
import { ListRowsCard } from './list-rows-card.tsx';
import { RunningList } from './running-list.tsx';
import { SurveyedList } from './surveyed-list.tsx';
import { hasEnded, useList, type FollowedList } from './use-list.ts';
import { pathTo } from '../app/base-path.ts';

/** One list, from what was found in it to what came of it. */
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

/** Says every tenth, and the end, to those who do not see the bar. */
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
