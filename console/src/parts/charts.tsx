import type { ComponentChildren } from 'preact';
import { StatusBadge } from './elements.tsx';
import { grouped, percent } from './format.ts';
import { type ProviderCount, shownStatuses, type StatusCount, statusLabel } from './statuses.ts';

/** A bar: its label, its count and its parts. */
type Bar = {
  key: string;
  label: ComponentChildren;
  count: number;
  parts: readonly BarPart[];
};

type BarPart = { name: string; class: string; count: number };

export function statusPart({ status, count }: StatusCount): BarPart {
  return { name: statusLabel(status), class: `status-${status}`, count };
}

type BarChartProps = { caption: string; of: string; bars: readonly Bar[]; total: number };

/** A chart that is also a table, so that screen readers read its numbers. */
export function BarChart({ caption, of, bars, total }: BarChartProps) {
  const most = Math.max(...bars.map(({ count }) => count), 1);
  return (
    <table class="bar-chart">
      <caption>
        <h3>{caption}</h3>
      </caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">{of}</th>
          <th scope="col">Bar</th>
          <th scope="col">Addresses</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      <tbody>
        {bars.map(({ key, label, count, parts }) => (
          <tr key={key}>
            <th scope="row">{label}</th>
            <td class="bar-cell">
              <StackedBar parts={parts} most={most} />
            </td>
            <td class="number">{grouped(count)}</td>
            <td class="number hint">{percent(count, total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A bar of parts; its length is relative to the longest bar. */
export function StackedBar({ parts, most }: { parts: readonly BarPart[]; most: number }) {
  let at = 0;
  return (
    <svg
      class="stacked-bar"
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={parts.map(({ name, count }) => `${name} ${grouped(count)}`).join(', ')}
    >
      {parts.map(({ name, class: className, count }) => {
        const x = at;
        at += (1_000 * count) / most;
        return (
          <rect key={name} class={className} x={x} y="0" width={at - x} height="10">
            <title>{`${name}: ${grouped(count)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

/** A column: a time, and its parts from the bottom up. */
type Column = {
  key: string;
  label: string;
  parts: readonly { name: string; class: string; count: number }[];
};

type ColumnsChartProps = {
  title: string;
  /** The chart's message in a sentence. */
  summary: string;
  columns: readonly Column[];
  /** The heading of the columns in the table. */
  of: string;
};

const height = 100;

/** Columns over time, and the same numbers as a table. */
export function ColumnsChart({ title, summary, columns, of }: ColumnsChartProps) {
  const totals = columns.map(({ parts }) => parts.reduce((sum, { count }) => sum + count, 0));
  const most = Math.max(...totals, 1);
  return (
    <figure class="columns-figure">
      <figcaption>
        <h3>{title}</h3>
        <p class="hint">{summary}</p>
      </figcaption>
      <div class="columns-frame">
        <span class="columns-most hint" aria-hidden="true">
          {grouped(most)}
        </span>
        <svg
          class="columns-chart"
          viewBox={`0 0 ${columns.length * 10} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}. ${summary} The table below has the numbers.`}
        >
          {columns.map((column, i) => (
            <StackedColumn key={column.key} column={column} x={i * 10} most={most} />
          ))}
        </svg>
        <div class="columns-ends hint" aria-hidden="true">
          <span>{columns[0]?.label}</span>
          <span>{columns.at(-1)?.label}</span>
        </div>
      </div>
      <ColumnsTable title={title} columns={columns} of={of} />
    </figure>
  );
}

function StackedColumn({ column, x, most }: { column: Column; x: number; most: number }) {
  let bottom = height;
  return (
    <g>
      {column.parts.map(({ name, class: className, count }) => {
        const part = (height * count) / most;
        bottom -= part;
        return (
          <rect key={name} class={className} x={x + 1} y={bottom} width="8" height={part}>
            <title>{`${column.label}: ${name} ${grouped(count)}`}</title>
          </rect>
        );
      })}
    </g>
  );
}

function ColumnsTable({ title, columns, of }: Pick<ColumnsChartProps, 'title' | 'columns' | 'of'>) {
  const names = [...new Set(columns.flatMap(({ parts }) => parts.map(({ name }) => name)))];
  return (
    <details>
      <summary>{title} as a table</summary>
      <div class="table-scroll" role="region" aria-label={`${title} as a table`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{of}</th>
              {names.map((name) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.map(({ key, label, parts }) => (
              <tr key={key}>
                <th scope="row">{label}</th>
                {names.map((name) => (
                  <td key={name} class="number">
                    {grouped(parts.find((part) => part.name === name)?.count ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** Most providers with their own bar. */
export const providersShown = 9;

/** Adds statuses without an address, so that nothing moves when the first one arrives. */
function everyStatus(counts: StatusCount[]): StatusCount[] {
  return shownStatuses.flatMap((status) => {
    const found = counts.find((one) => one.status === status);
    if (found !== undefined) return [found];
    return status === 'rejected' ? [] : [{ status, count: 0 }];
  });
}

type OutcomeChartsProps = {
  total: number;
  statuses: StatusCount[];
  /** The largest first, at most `providersShown`. */
  providers: ProviderCount[];
};

/** Addresses by status and by provider. */
export function OutcomeCharts({ total, statuses, providers }: OutcomeChartsProps) {
  return (
    <section class="card" aria-labelledby="outcome-title">
      <h2 id="outcome-title">Outcome</h2>
      <div class="charts">
        <BarChart
          caption="By status"
          of="Status"
          total={total}
          bars={everyStatus(statuses).map((part) => ({
            key: part.status,
            label: <StatusBadge status={part.status} />,
            count: part.count,
            parts: [statusPart(part)],
          }))}
        />
        <BarChart
          caption="By provider"
          of="Provider"
          total={total}
          bars={providers.map(({ provider, count, statuses: ended }) => ({
            key: provider,
            label: provider,
            count,
            parts: ended.map(statusPart),
          }))}
        />
      </div>
    </section>
  );
}
