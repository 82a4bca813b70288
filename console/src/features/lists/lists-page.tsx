import type { ListRecord } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { pathTo } from '../../app/base-path.ts';
import type { FeatureCard } from '../../app/features.ts';
import { useEvery, usePages } from '../../app/loading.ts';
import { FailureNotice, Page, PagesEnd, WhenRead } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { StackedBar, statusPart } from '../../parts/charts.tsx';
import { Icon, saveFile, TableHead, Time } from '../../parts/elements.tsx';
import { counted, grouped, megabytes, percent } from '../../parts/format.ts';
import { inOrder } from '../../parts/statuses.ts';
import { type UploadState, useUpload } from './upload.ts';

const lookAgainMs = 2_000;

/** The upload of a new list, and all lists of the account. */
export function ListsPage() {
  const { api } = useConsole();
  const pages = usePages(async (after) => {
    const { lists, next } = await api.client.lists.page({ after });
    return { items: lists, next };
  });
  const lists = pages.items.value;
  // A reload shows only the first page, so there is none while more pages are shown.
  const isFollowed = lists.length <= 50 && lists.some(({ state }) => state === 'running');
  useEvery(lookAgainMs, () => void pages.reload(), isFollowed);
  return (
    <Page
      title="Lists"
      lead="Upload a list, see what it costs, and download it with the results. It runs on the server, so you can close this page."
    >
      <ChooseList />
      <WhenRead of={[pages]}>
        <section class="card" aria-labelledby="lists-title">
          <h2 id="lists-title">All lists</h2>
          {lists.length === 0 ? null : <ListTable lists={lists} />}
          <PagesEnd pages={pages} nothing="No lists yet." />
        </section>
      </WhenRead>
    </Page>
  );
}

/** Lists with rows, state, outcome, time and key. */
function ListTable({ lists }: { lists: readonly ListRecord[] }) {
  return (
    <table class="list-table">
      <caption class="visually-hidden">Lists, newest first</caption>
      <TableHead
        columns={[
          'List',
          ['Rows', 'number wide-only'],
          'State',
          'Outcome',
          ['Uploaded', 'wide-only'],
          ['By', 'wide-only'],
        ]}
      />
      <tbody>
        {lists.map((list) => (
          <tr key={list.list_id}>
            <th scope="row">
              <a href={pathTo(`/lists/${list.list_id}`)}>{list.name}</a>{' '}
              {list.sandbox ? <span class="tag">sandbox</span> : null}
              <span class="narrow-only hint">
                {counted(list.rows, 'row')} · <Time at={list.created_at} />
                {list.created_by === null ? null : ` · ${list.created_by}`}
              </span>
            </th>
            <td class="number wide-only">{grouped(list.rows)}</td>
            <td>
              <ListState list={list} />
            </td>
            <td class="bar-cell">
              <OutcomeBar list={list} />
            </td>
            <td class="wide-only">
              <Time at={list.created_at} />
            </td>
            <td class="wide-only">{list.created_by ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export const stateWords: Record<ListRecord['state'], string> = {
  surveyed: 'Not started',
  running: 'Running',
  paused: 'Paused',
  completed: 'Completed',
  cancelled: 'Cancelled',
};

function ListState({ list: { state, checked, wanted } }: { list: ListRecord }) {
  const isUnderWay = state === 'running' || state === 'paused';
  return (
    <span class="task-state">
      {stateWords[state]}
      {isUnderWay ? (
        <>
          <progress class="progress" aria-label="Checked" value={checked} max={Math.max(wanted, 1)} />
          <span class="hint">{percent(checked, wanted)}</span>
        </>
      ) : null}
    </span>
  );
}

function OutcomeBar({ list: { by_status: counts } }: { list: ListRecord }) {
  const parts = inOrder(counts).map(statusPart);
  if (parts.length === 0) return <span class="hint">–</span>;
  return <StackedBar parts={parts} most={parts.reduce((sum, { count }) => sum + count, 0)} />;
}

/** Uploads a dropped, chosen or pasted list. Nothing is checked before the person agrees to the cost. */
function ChooseList() {
  const upload = useUpload();
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
  const upload = useUpload();
  // A file that the service refused would be refused again.
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

/** Names the column of addresses in a file in which the service found none. */
function ColumnForm() {
  const upload = useUpload();
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
  const upload = useUpload();
  // The service still reads after the last byte was sent.
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
  const upload = useUpload();
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
  const upload = useUpload();
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

export const listStep: FeatureCard = { feature: 'lists', Card: ListStep };

/** A list with one address for each answer of the sandbox, and with the flaws of real lists. */
const sampleList = [
  'name,email',
  'Ada,ada+safe@example.com',
  'Grace,grace+safe@example.com',
  'Sales team,sales+role_account@example.com',
  'Alan,alan+catch_all@example.com',
  'Barbara,barbara+inbox_full@example.com',
  'Edsger,edsger+invalid@example.com',
  'Hedy,hedy+disabled@example.com',
  'Katherine,katherine+disposable@example.com',
  'Trap,trap+spamtrap@example.com',
  'Linus,linus+unknown@example.com',
  '"Ada, again",ADA+safe@example.com',
  'Margaret,Margaret <margaret+safe@example.com>',
  'Nobody,not an address',
  '',
].join('\r\n');

function ListStep() {
  const { session } = useConsole();
  const state = session.state.value;
  const isTest = state.kind === 'account' && state.account.key?.mode === 'test';
  return (
    <li>
      <strong>Check a list.</strong> Upload a file under <a href={pathTo('/lists')}>Lists</a>, or try it with
      the{' '}
      <button type="button" class="link-button" onClick={() => saveFile('sample-list.csv', [sampleList])}>
        sample list
      </button>
      {isTest
        ? ', which shows every kind of answer.'
        : '. Sign in with a test key for it: the sandbox answers, and it costs nothing.'}
    </li>
  );
}
