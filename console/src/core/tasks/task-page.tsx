import type { AccountTask, BulkResultRecord, BulkTaskProgress } from '@mailproof/client';
import { useComputed, useSignal } from '@preact/signals';
import { pathTo } from '../../app/base-path.ts';
import { useEvery, useLoaded } from '../../app/loading.ts';
import { FailureNotice, Page, WhenRead } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { OutcomeCharts, providersShown } from '../../parts/charts.tsx';
import { Dialog, Facts, Icon, saveFile, StatusBadge, Time } from '../../parts/elements.tsx';
import { counted, grouped } from '../../parts/format.ts';
import { providerOf } from '../../parts/providers.ts';
import type { ResultRow } from '../../parts/rows.ts';
import { statusLabel, tallyByProvider, tallyByStatus } from '../../parts/statuses.ts';
import { EvidenceView } from '../check/result-card.tsx';
import { ResultTable } from './result-table.tsx';
import { keyName, TaskState, taskTitle } from './tasks-page.tsx';
import { writeTaskResults } from './write-task-results.ts';

const lookAgainMs = 2_000;
/** Tasks searched for the creation time and key of this one. */
const tasksSearched = 100;

/** One task: its progress, and its results once it is completed. */
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

type RowsFormProps = {
  /** Rows in all, and of each status. */
  total: number;
  counts: readonly { status: string; count: number }[];
  /** The download is the main action of the page. */
  main: boolean;
  /** `undefined` downloads all rows. */
  onDownload: (status: string | undefined) => void;
};

/** A form for the download of all rows, or of the rows of one status. */
function RowsForm({ total, counts, main, onDownload }: RowsFormProps) {
  const status = useSignal('');
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        onDownload(status.value === '' ? undefined : status.value);
      }}
    >
      <div class="field">
        <label for="download-rows">Rows to download</label>
        <select
          id="download-rows"
          value={status.value}
          onChange={(event) => {
            status.value = event.currentTarget.value;
          }}
        >
          <option value="">All rows ({grouped(total)})</option>
          {counts.map(({ status: one, count }) => (
            <option key={one} value={one}>
              {statusLabel(one)} ({grouped(count)})
            </option>
          ))}
        </select>
      </div>
      <button type="submit" class={main ? 'button button-main' : 'button'}>
        <Icon name="download" />
        Download
      </button>
    </form>
  );
}
