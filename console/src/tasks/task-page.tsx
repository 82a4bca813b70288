import { useComputed, useSignal } from '@preact/signals';
import type { AccountTask, BulkResultRecord, BulkTaskProgress } from '@mailproof/client';
import { OutcomeCharts, providersShown } from '../parts/outcome-charts.tsx';
import { providerOf } from '../parts/provider-of.ts';
import type { ResultRow } from '../parts/arrange-rows.ts';
import { Dialog } from '../parts/dialog.tsx';
import { counted } from '../parts/format.ts';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { Page } from '../app/page.tsx';
import { ResultTable } from '../parts/result-table.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Time } from '../parts/time.tsx';
import { useEvery, useLoaded } from '../loading/use-loaded.ts';
import { WhenRead } from '../loading/when-read.tsx';
import { useConsole } from '../app/use-console.ts';
import { EvidenceView } from '../evidence/evidence-view.tsx';
import { tallyByProvider, tallyByStatus } from '../parts/tally.ts';
import { RowsForm } from '../parts/rows-form.tsx';
import { saveFile } from '../parts/save-file.ts';
import { writeTaskResults } from './write-task-results.ts';
import { keyName, TaskState, taskTitle } from './task-table.tsx';
import { Facts } from '../parts/facts.tsx';
import { pathTo } from '../app/base-path.ts';

const lookAgainMs = 2_000;
/** As far back as the list of tasks is searched for when this one was made, and by whom. */
const tasksSearched = 100;

/** One task: how far it is, and its results once it is completed. */
export function TaskPage({ id }: { id: string }) {
  const { api } = useConsole();
  const task = useLoaded(() => api.client.getTask(id, { explain: true }));
  const made = useLoaded(async () => {
    const [{ tasks }, { keys }] = await Promise.all([
      api.client.tasks({ limit: tasksSearched }),
      api.client.keys.list(),
    ]);
    const found = tasks.find(({ task_id: taskId }) => taskId === id);
    return found === undefined ? undefined : { ...found, key: keyName(found.key_id, keys) };
  });
  const known = task.value.value;
  useEvery(lookAgainMs, () => void task.reload(), known !== undefined && known.status !== 'completed');
  return (
    <Page
      title={known === undefined ? 'Task' : taskTitle(known.name)}
      lead={<a href={pathTo('/tasks')}>All tasks</a>}
    >
      <WhenRead of={[task, made]}>
        {task.failure.value === undefined ? null : <FailureNotice failure={task.failure.value} />}
        {known === undefined ? null : (
          <>
            <AboutTask task={known} credits={known.creditsUsed} made={made.value.value} />
            {known.results === undefined ? null : (
              <Results results={Object.values(known.results)} name={taskTitle(known.name)} />
            )}
          </>
        )}
      </WhenRead>
    </Page>
  );
}

type AboutTaskProps = {
  task: BulkTaskProgress;
  credits: number;
  made: (AccountTask & { key: string }) | undefined;
};

function AboutTask({ task, credits, made }: AboutTaskProps) {
  const expiresAt = made?.expires_at ?? null;
  return (
    <section class="card" aria-label="About this task">
      <Facts
        facts={[
          ['State', <TaskState task={task} />],
          [task.status === 'completed' ? 'Charged' : 'Reserved', counted(credits, 'credit')],
          ['Created', made === undefined ? '–' : <Time at={made.created_at} />],
          ['Created by key', made?.key ?? '–'],
          ['Results kept until', expiresAt === null ? '–' : <Time at={expiresAt} />],
        ]}
      />
      <p class="hint">
        Task <code>{task.task_id}</code>
      </p>
    </section>
  );
}

function Results({ results, name }: { results: BulkResultRecord[]; name: string }) {
  const opened = useSignal<number | undefined>(undefined);
  const rows = useComputed(() => results.map(rowOf));
  const record = opened.value === undefined ? undefined : results[opened.value - 1];
  return (
    <>
      <OutcomeCharts
        total={results.length}
        statuses={tallyByStatus(results)}
        providers={tallyByProvider(
          results.map(({ status, explanation }) => ({
            status,
            provider: providerOf(explanation?.mail_host ?? null),
          })),
          providersShown,
        )}
      />
      <section class="card" aria-labelledby="results-title">
        <h2 id="results-title">Results</h2>
        <TaskDownload results={results} name={name} />
        <ResultTable label="Results" rows={rows} onOpen={({ row }) => (opened.value = row)} />
      </section>
      {record === undefined ? null : (
        <Dialog title={record.email} onClose={() => (opened.value = undefined)}>
          <p>
            <StatusBadge status={record.status} />
          </p>
          <EvidenceView result={record} />
          <div class="buttons">
            <button type="button" class="button" onClick={() => (opened.value = undefined)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function rowOf({ email, status, overall_score: score, explanation }: BulkResultRecord, i: number): ResultRow {
  const host = explanation?.mail_host;
  return {
    row: i + 1,
    address: email,
    status,
    score: score ?? null,
    provider: host === undefined ? '' : providerOf(host),
    reason: explanation?.reason ?? '',
  };
}

function TaskDownload({ results, name }: { results: readonly BulkResultRecord[]; name: string }) {
  const download = (status: string | undefined) => {
    const wanted = results.filter((record) => status === undefined || record.status === status);
    const stem = name.replace(/[^\w.-]+/g, '-').replace(/\.(?:csv|tsv|txt)$/i, '');
    saveFile(`${stem}.${status ?? 'checked'}.csv`, [writeTaskResults(wanted)]);
  };
  return (
    <RowsForm total={results.length} counts={tallyByStatus(results)} main={false} onDownload={download} />
  );
}
