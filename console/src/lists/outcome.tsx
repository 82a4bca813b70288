import { useComputed, useSignal } from '@preact/signals';
import type { ResultRow } from '../parts/arrange-rows.ts';
import { OutcomeCharts } from '../parts/outcome-charts.tsx';
import { ResultTable } from '../parts/result-table.tsx';
import { useConsole } from '../app/use-console.ts';
import type { ListAnswer } from '../list-run/list-answer.ts';
import type { OpenList } from '../list-run/open-list.ts';
import { RowDialog } from './row-dialog.tsx';
import { rowsOf } from '../list-run/rows-of.ts';

/** The results so far: by status, by provider, and row by row. */
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
      <OutcomeCharts answered={known.value.answered} />
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
