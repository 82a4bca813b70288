import type { ListRecord } from '@mailproof/client';
import { StackedBar, statusPart } from '../parts/bar-chart.tsx';
import { counted, grouped, percent } from '../parts/format.ts';
import { inOrder } from '../parts/tally.ts';
import { Time } from '../parts/time.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { pathTo } from '../app/base-path.ts';

/** What was uploaded, how far it is, how it came out, when, and with which key. */
export function ListTable({ lists }: { lists: readonly ListRecord[] }) {
  return (
    <table class="list-table">
      <caption class="visually-hidden">Lists, newest first</caption>
      <TableHead
        columns={[
          'List',
          ['Rows', 'number wide-only'],
          'State',
          'Outcome',
          ['Uploaded', 'wide-only'],
          ['By', 'wide-only'],
        ]}
      />
      <tbody>
        {lists.map((list) => (
          <tr key={list.list_id}>
            <th scope="row">
              <a href={pathTo(`/lists/${list.list_id}`)}>{list.name}</a>{' '}
              {list.sandbox ? <span class="tag">sandbox</span> : null}
              <span class="narrow-only hint">
                {counted(list.rows, 'row')} · <Time at={list.created_at} />
                {list.created_by === null ? null : ` · ${list.created_by}`}
              </span>
            </th>
            <td class="number wide-only">{grouped(list.rows)}</td>
            <td>
              <ListState list={list} />
            </td>
            <td class="bar-cell">
              <OutcomeBar list={list} />
            </td>
            <td class="wide-only">
              <Time at={list.created_at} />
            </td>
            <td class="wide-only">{list.created_by ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export const stateWords: Record<ListRecord['state'], string> = {
  surveyed: 'Not started',
  running: 'Running',
  paused: 'Paused',
  completed: 'Completed',
  cancelled: 'Cancelled',
};

function ListState({ list: { state, checked, wanted } }: { list: ListRecord }) {
  const isUnderWay = state === 'running' || state === 'paused';
  return (
    <span class="task-state">
      {stateWords[state]}
      {isUnderWay ? (
        <>
          <progress class="progress" aria-label="Checked" value={checked} max={Math.max(wanted, 1)} />
          <span class="hint">{percent(checked, wanted)}</span>
        </>
      ) : null}
    </span>
  );
}

function OutcomeBar({ list: { by_status: counts } }: { list: ListRecord }) {
  const parts = inOrder(counts).map(statusPart);
  if (parts.length === 0) return <span class="hint">–</span>;
  return <StackedBar parts={parts} most={parts.reduce((sum, { count }) => sum + count, 0)} />;
}
