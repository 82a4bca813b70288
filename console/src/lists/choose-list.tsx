import { useSignal } from '@preact/signals';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { useConsole } from '../app/use-console.ts';
import { pastedName } from '../list-run/open-list.ts';

/** A list is dropped, chosen or pasted here. Nothing leaves the browser before the cost is agreed to. */
export function ChooseList({ problem }: { problem?: string }) {
  return (
    <>
      {problem === undefined ? null : (
        <Notice tone="problem" title="This list cannot be read">
          <p>{problem}</p>
        </Notice>
      )}
      <div class="choose-list">
        <DropZone />
        <PasteForm />
      </div>
    </>
  );
}

function DropZone() {
  const { lists } = useConsole();
  const isOver = useSignal(false);
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    await lists.open({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
  };
  return (
    <div
      class={isOver.value ? 'card drop drop-over' : 'card drop'}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => {
        isOver.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        void take(event.dataTransfer?.files[0]);
      }}
    >
      <Icon name="upload" />
      <label for="list-file">Drop a file here, or choose one</label>
      <input
        id="list-file"
        type="file"
        accept=".csv,.tsv,.tab,.txt,text/csv,text/plain,text/tab-separated-values"
        aria-describedby="list-file-help"
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      <p id="list-file-help" class="hint">
        CSV, TSV or one address per line. The file stays in this browser until you agree to the cost.
      </p>
    </div>
  );
}

function PasteForm() {
  const { lists } = useConsole();
  const text = useSignal('');
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void lists.open({ name: pastedName, bytes: new TextEncoder().encode(text.value) });
      }}
    >
      <label for="pasted">Or paste addresses</label>
      <textarea
        id="pasted"
        rows={6}
        required
        spellcheck={false}
        autocapitalize="none"
        placeholder={'ada@example.com\ngrace@example.com'}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      <div class="buttons">
        <button type="submit" class="button">
          Read pasted addresses
        </button>
      </div>
    </form>
  );
}
