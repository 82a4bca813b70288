import { useComputed, useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { reasonSentence } from './reason-sentence.ts';
import { arrangeRows, unarranged, type Arrangement, type ResultRow, type SortBy } from './arrange-rows.ts';
import { counted, grouped } from './format.ts';
import { Icon } from './icon.tsx';
import { ResultFilter } from './result-filter.tsx';
import { StatusBadge } from './status-badge.tsx';
import { visibleRange } from './visible-range.ts';

type ResultTableProps = {
  /** What the table is about, for those who hear it. */
  label: string;
  rows: ReadonlySignal<ResultRow[]>;
  onOpen: (row: ResultRow) => void;
};

/** A table of any length: filtered, sorted, and drawn only as far as it is seen. */
export function ResultTable({ label, rows, onOpen }: ResultTableProps) {
  const wish = useSignal<Arrangement>(unarranged);
  const arranged = useComputed(() => arrangeRows(rows.value, wish.value));
  return (
    <div class="results">
      <ResultFilter rows={rows} wish={wish} />
      <p class="hint" role="status">
        {arranged.value.length === rows.value.length
          ? counted(rows.value.length, 'row')
          : `${grouped(arranged.value.length)} of ${counted(rows.value.length, 'row')}`}
      </p>
      <RowsWindow label={label} rows={arranged.value} onOpen={onOpen}>
        <Head wish={wish.value} onSort={(sortBy) => (wish.value = sorted(wish.value, sortBy))} />
      </RowsWindow>
    </div>
  );
}

function sorted(wish: Arrangement, sortBy: SortBy): Arrangement {
  return { ...wish, sortBy, isDescending: wish.sortBy === sortBy && !wish.isDescending };
}

const columns: readonly { key: SortBy; name: string; class: string }[] = [
  { key: 'row', name: 'Row', class: 'col-row' },
  { key: 'address', name: 'Address', class: 'col-address' },
  { key: 'status', name: 'Status', class: 'col-status' },
  { key: 'score', name: 'Score', class: 'col-score' },
  { key: 'provider', name: 'Provider', class: 'col-provider' },
];

function Head({ wish, onSort }: { wish: Arrangement; onSort: (by: SortBy) => void }) {
  const direction = wish.isDescending ? 'descending' : 'ascending';
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ key, name, class: className }) => (
          <th key={key} scope="col" class={className} aria-sort={wish.sortBy === key ? direction : 'none'}>
            <button type="button" class="sort" onClick={() => onSort(key)}>
              {name}
              {wish.sortBy === key ? <Icon name={wish.isDescending ? 'down' : 'up'} /> : null}
            </button>
          </th>
        ))}
        <th scope="col" class="col-why">
          Why
        </th>
      </tr>
    </thead>
  );
}

type WindowProps = Pick<ResultTableProps, 'label' | 'onOpen'> & {
  rows: readonly ResultRow[];
  children: preact.ComponentChildren;
};

function RowsWindow({ label, rows, onOpen, children }: WindowProps) {
  const frame = useRef<HTMLDivElement>(null);
  const labelId = useId();
  const seen = useSignal({ top: 0, height: 600, rowHeight: 48 });
  const look = () => {
    const element = frame.current;
    if (element === null) return;
    const rowHeight = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row-px')) || 48;
    seen.value = { top: element.scrollTop, height: element.clientHeight, rowHeight };
  };
  useEffect(() => {
    look();
    window.addEventListener('resize', look);
    return () => window.removeEventListener('resize', look);
  }, []);
  const { first, last, above, below } = visibleRange(rows.length, seen.value);
  return (
    <div class="rows-window" ref={frame} tabIndex={0} role="region" aria-labelledby={labelId} onScroll={look}>
      <table aria-rowcount={rows.length + 1}>
        <caption id={labelId} class="visually-hidden">
          {label}, row by row
        </caption>
        {children}
        <tbody>
          <Gap height={above} />
          {rows.slice(first, last).map((row, i) => (
            <Row key={row.row} row={row} index={first + i + 2} onOpen={onOpen} />
          ))}
          <Gap height={below} />
        </tbody>
      </table>
    </div>
  );
}

/** Stands for the rows that are not drawn. */
function Gap({ height }: { height: number }) {
  if (height === 0) return null;
  return (
    <tr class="gap" aria-hidden="true">
      <td style={{ height: `${height}px` }} />
    </tr>
  );
}

function Row({ row, index, onOpen }: { row: ResultRow; index: number; onOpen: (row: ResultRow) => void }) {
  const why = row.reason === '' ? '' : reasonSentence(row.reason);
  return (
    <tr aria-rowindex={index}>
      <td class="col-row number">{grouped(row.row)}</td>
      <th scope="row" class="col-address">
        {row.status === '' ? (
          <span class="row-address">{row.address}</span>
        ) : (
          <button type="button" class="row-address row-open" onClick={() => onOpen(row)}>
            {row.address === '' ? '(blank)' : row.address}
          </button>
        )}
        <span class="row-why">{why}</span>
      </th>
      <td class="col-status">
        {row.status === '' ? <span class="hint">–</span> : <StatusBadge status={row.status} />}
      </td>
      <td class="col-score number">{row.score ?? '–'}</td>
      <td class="col-provider">{row.provider}</td>
      <td class="col-why" title={why}>
        {why}
      </td>
    </tr>
  );
}
