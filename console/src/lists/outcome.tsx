import { useComputed, useSignal } from '@preact/signals';
import type { ResultRow } from '../parts/arrange-rows.ts';
import { BarChart } from '../parts/bar-chart.tsx';
import { ResultTable } from '../parts/result-table.tsx';
import { shownStatuses } from '../parts/statuses.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { useConsole } from '../shell/use-console.ts';
import type { ListAnswer } from './list-answer.ts';
import type { OpenList } from './open-list.ts';
import { RowDialog } from './row-dialog.tsx';
import { rowsOf } from './rows-of.ts';
import { tallyByProvider, tallyByStatus, type StatusCount } from './tally.ts';

const providersShown = 9;

/** What is known so far: by status, by provider, and row by row. */
export function Outcome({ list }: { list: OpenList }) {
  const { lists } = useConsole();
  const opened = useSignal<ResultRow | undefined>(undefined);
  // The answers are filled into the list in place; the revision tells when, so both are read anew with it.
  const known = useComputed(() => ({
    revision: lists.revision.value,
    rows: rowsOf(list),
    answered: answered(list),
  }));
  const rows = useComputed(() => known.value.rows);
  return (
    <>
      <Charts answered={known.value.answered} />
      <section class="card" aria-labelledby="results-title">
        <h2 id="results-title">Results</h2>
        <ResultTable label="Results" rows={rows} onOpen={(row) => (opened.value = row)} />
      </section>
      {opened.value === undefined ? null : (
        <RowDialog list={list} row={opened.value} onClose={() => (opened.value = undefined)} />
      )}
    </>
  );
}

function answered({ answers }: OpenList): ListAnswer[] {
  return answers.filter((answer) => answer !== undefined);
}

/** Those that nobody has yet are listed too, so that nothing moves when somebody has. */
function everyStatus(counts: StatusCount[]): StatusCount[] {
  return shownStatuses.flatMap((status) => {
    const found = counts.find((one) => one.status === status);
    if (found !== undefined) return [found];
    return status === 'rejected' ? [] : [{ status, count: 0 }];
  });
}

export function Charts({ answered }: { answered: { status: string; provider: string }[] }) {
  const statuses = everyStatus(tallyByStatus(answered));
  const providers = tallyByProvider(answered, providersShown);
  return (
    <section class="card" aria-labelledby="outcome-title">
      <h2 id="outcome-title">Outcome</h2>
      <div class="charts">
        <BarChart
          caption="By status"
          of="Status"
          total={answered.length}
          bars={statuses.map((part) => ({
            key: part.status,
            label: <StatusBadge status={part.status} />,
            count: part.count,
            parts: [part],
          }))}
        />
        <BarChart
          caption="By provider"
          of="Provider"
          total={answered.length}
          bars={providers.map(({ provider, count, statuses: parts }) => ({
            key: provider,
            label: provider,
            count,
            parts,
          }))}
        />
      </div>
    </section>
  );
}
