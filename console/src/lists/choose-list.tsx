import { useSignal } from '@preact/signals';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { useConsole } from '../app/use-console.ts';
import type { UploadState } from '../app/create-upload.ts';
import { megabytes, percent } from '../parts/format.ts';

/** A list is dropped, chosen or pasted here, and sent. Nothing is checked before the cost is agreed to. */
export function ChooseList() {
  const { upload } = useConsole();
  const state = upload.state.value;
  if (state.kind === 'sending') return <Sending state={state} />;
  return (
    <>
      {state.kind === 'failed' ? <Failed state={state} /> : null}
      <div class="choose-list">
        <DropZone />
        <PasteForm />
      </div>
    </>
  );
}

function Failed({ state: { name, failure } }: { state: Extract<UploadState, { kind: 'failed' }> }) {
  const { upload } = useConsole();
  // A file that the service has read and refused would be refused again.
  const mayHelp = failure.status === undefined || failure.status >= 500 || failure.status === 429;
  return (
    <FailureNotice failure={failure}>
      <p>
        {name === pastedName && failure.reason === 'invalid_list'
          ? 'We couldn’t find an email column in what you pasted.'
          : `${name} was not uploaded.`}
      </p>
      {mayHelp ? (
        <div class="buttons">
          <button type="button" class="button button-small" onClick={() => void upload.again()}>
            Try again
          </button>
        </div>
      ) : null}
      {failure.reason === 'invalid_list' ? <ColumnForm /> : null}
    </FailureNotice>
  );
}

/** For a file in which no column looks like addresses and one is all the same. */
function ColumnForm() {
  const { upload } = useConsole();
  const column = useSignal('');
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        void upload.withColumn(column.value);
      }}
    >
      <div class="field">
        <label for="named-column">Column with the addresses</label>
        <input
          id="named-column"
          required
          autocomplete="off"
          spellcheck={false}
          placeholder="such as Email"
          value={column.value}
          onInput={(event) => (column.value = event.currentTarget.value)}
        />
      </div>
      <button type="submit" class="button">
        Upload with this column
      </button>
    </form>
  );
}

function Sending({ state: { name, sent, size } }: { state: Extract<UploadState, { kind: 'sending' }> }) {
  const { upload } = useConsole();
  // The last bytes are sent before the service has read them all.
  const isSent = sent >= size && size > 0;
  return (
    <section class="card sending" aria-labelledby="sending-title">
      <div class="card-head">
        <h2 id="sending-title">{isSent ? `Reading ${name}` : `Uploading ${name}`}</h2>
        <button type="button" class="button button-small" onClick={() => upload.stop()}>
          Stop upload
        </button>
      </div>
      {isSent ? (
        <progress class="progress" aria-label="Reading" />
      ) : (
        <progress class="progress" aria-label="Upload" value={sent} max={Math.max(size, 1)} />
      )}
      <p class="hint">
        {megabytes(Math.min(sent, size))} of {megabytes(size)} · {percent(Math.min(sent, size), size)}
      </p>
    </section>
  );
}

function DropZone() {
  const { upload } = useConsole();
  const isOver = useSignal(false);
  const take = (file: File | undefined) => {
    if (file !== undefined) void upload.send(file, file.name);
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
        take(event.dataTransfer?.files[0]);
      }}
    >
      <Icon name="upload" />
      <label for="list-file">Drop a file here, or choose one</label>
      <input
        id="list-file"
        type="file"
        accept=".csv,.tsv,.tab,.txt,.xlsx,text/csv,text/plain,text/tab-separated-values"
        aria-describedby="list-file-help"
        onChange={(event) => take(event.currentTarget.files?.[0])}
      />
      <p id="list-file-help" class="hint">
        CSV, text or .xlsx. Uploading is free: you see what it costs before anything is checked.
      </p>
    </div>
  );
}

const pastedName = 'Pasted addresses';

function PasteForm() {
  const { upload } = useConsole();
  const text = useSignal('');
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void upload.send(new Blob([text.value], { type: 'text/plain' }), pastedName);
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
          Upload pasted addresses
        </button>
      </div>
    </form>
  );
}
