import type { ComponentChildren } from 'preact';
import { grouped, percent } from './format.ts';
import { statusLabel } from './statuses.ts';
import type { StatusCount } from './tally.ts';

/** A bar: what it is about, how much there is, and what it is made of. */
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

/** A chart that is also a table, so that its numbers can be read as well as seen. */
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

/** What something is made of, in the length that it has beside the longest. */
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
