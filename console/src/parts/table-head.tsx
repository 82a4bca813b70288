/** A column by its heading; with a class where its cells have one. */
type Heading = string | readonly [name: string, className: string];

/** The headings of a table. In a table that is drawn in part only, they are its first row. */
export function TableHead({ columns, rowIndex }: { columns: readonly Heading[]; rowIndex?: number }) {
  return (
    <thead>
      <tr aria-rowindex={rowIndex}>
        {columns.map((column) => {
          const [name, className] = typeof column === 'string' ? [column, undefined] : column;
          return (
            <th key={name} scope="col" class={className}>
              {name}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
