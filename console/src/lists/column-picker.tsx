import { useSignal } from '@preact/signals';
import type { FoundLayout } from '@mailproof/client/lists';
import { Notice } from '../parts/notice.tsx';
import { useConsole } from '../app/use-console.ts';
import { pastedName, type ListFile } from '../list-run/open-list.ts';

/** Asks for the column when none looks like email addresses. */
export function ColumnPicker({ file, layout }: { file: ListFile; layout: FoundLayout }) {
  const { lists } = useConsole();
  const column = useSignal(0);
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void lists.open(file, column.value);
      }}
    >
      <Notice tone="warning" title="Which column holds the addresses?">
        <p>We couldn’t find an email column in {file.name === pastedName ? 'what you pasted' : file.name}.</p>
      </Notice>
      <ColumnSelect
        columns={layout.columns}
        value={column.value}
        onPick={(picked) => (column.value = picked)}
      />
      <div class="buttons">
        <button type="submit" class="button button-main">
          Use this column
        </button>
        <button type="button" class="button" onClick={() => void lists.clear()}>
          Choose another list
        </button>
      </div>
    </form>
  );
}

type ColumnSelectProps = { columns: string[]; value: number; onPick: (column: number) => void };

export function ColumnSelect({ columns, value, onPick }: ColumnSelectProps) {
  return (
    <div class="field">
      <label for="column">Column with the addresses</label>
      <select id="column" value={value} onChange={(event) => onPick(Number(event.currentTarget.value))}>
        {columns.map((name, i) => (
          <option key={i} value={i}>
            {name === '' ? `column ${i + 1}` : name}
          </option>
        ))}
      </select>
    </div>
  );
}
