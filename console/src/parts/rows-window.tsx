import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { StatusBadge } from './elements.tsx';
import { grouped } from './format.ts';
import { type ResultRow, visibleRange } from './rows.ts';
import { reasonSentence } from './statuses.ts';

type RowsWindowProps = {
  /** The table's name for screen readers. */
  label: string;
  /** The rows read so far, from the first on. */
  rows: readonly ResultRow[];
  /** The number of all rows, read or not: the length of the scroll bar. */
  count: number;
  onOpen: (row: ResultRow) => void;
  /** Called with the last visible row, so that it can be read. */
  onSeen?: (last: number) => void;
  /** The head of the table. */
  children: ComponentChildren;
};

/** A long table of which only the visible rows are drawn. */
export function RowsWindow({ label, rows, count, onOpen, onSeen, children }: RowsWindowProps) {
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
  const { first, last, above, below } = visibleRange(count, seen.value);
  useEffect(() => onSeen?.(last), [last, rows]);
  return (
    <div class="rows-window" ref={frame} tabIndex={0} role="region" aria-labelledby={labelId} onScroll={look}>
      <table aria-rowcount={count + 1}>
        <caption id={labelId} class="visually-hidden">
          {label}, row by row
        </caption>
        {children}
        <tbody>
          <Gap height={above} />
          {Array.from({ length: last - first }, (_, i) => {
            const row = rows[first + i];
            const index = first + i + 2;
            return row === undefined ? (
              <RowToCome key={`to-come-${index}`} index={index} />
            ) : (
              <Row key={row.row} row={row} index={index} onOpen={onOpen} />
            );
          })}
          <Gap height={below} />
        </tbody>
      </table>
    </div>
  );
}

/** The space of the rows that are not drawn. */
function Gap({ height }: { height: number }) {
  if (height === 0) return null;
  return (
    <tr class="gap" aria-hidden="true">
      <td style={{ height: `${height}px` }} />
    </tr>
  );
}

/** A row that is not read yet. */
function RowToCome({ index }: { index: number }) {
  return (
    <tr aria-rowindex={index}>
      <td class="col-row" />
      <th scope="row" class="col-address hint">
        Loading …
      </th>
      <td class="col-status" />
      <td class="col-score" />
      <td class="col-provider" />
      <td class="col-why" />
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
