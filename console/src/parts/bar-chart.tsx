import type { ComponentChildren } from 'preact';
import { grouped, percent } from './format.ts';
import { statusLabel } from './statuses.ts';

/** A bar: what it is about, how much there is, and what it is made of. */
type Bar = {
  key: string;
  label: ComponentChildren;
  count: number;
  /** Parts of the bar by status. */
  parts: readonly { status: string; count: number }[];
};

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

function StackedBar({ parts, most }: { parts: Bar['parts']; most: number }) {
  let at = 0;
  return (
    <svg
      class="stacked-bar"
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={parts.map(({ status, count }) => `${statusLabel(status)} ${grouped(count)}`).join(', ')}
    >
      {parts.map(({ status, count }) => {
        const x = at;
        at += (1_000 * count) / most;
        return (
          <rect key={status} class={`status-${status}`} x={x} y="0" width={at - x} height="10">
            <title>{`${statusLabel(status)}: ${grouped(count)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
