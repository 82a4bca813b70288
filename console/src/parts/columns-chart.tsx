import { grouped } from './format.ts';

/** A column: a moment, and what happened then in parts from the bottom up. */
type Column = {
  key: string;
  label: string;
  parts: readonly { name: string; class: string; count: number }[];
};

type ColumnsChartProps = {
  title: string;
  /** What the chart tells, in a sentence. */
  summary: string;
  columns: readonly Column[];
  /** What a column is, for the head of the table. */
  of: string;
};

const height = 100;

/** Columns over time, and the same numbers as a table for whoever wants to read them. */
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
