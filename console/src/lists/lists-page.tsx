import { useEffect } from 'preact/hooks';
import { Page } from '../app/page.tsx';
import { useConsole } from '../app/use-console.ts';
import { ChooseList } from './choose-list.tsx';
import { ColumnPicker } from './column-picker.tsx';
import type { ListState } from '../list-run/create-list-controller.ts';
import { DoneList } from './done-list.tsx';
import { Outcome } from './outcome.tsx';
import { ReadyList } from './ready-list.tsx';
import { PausedList, RunningList } from './running-list.tsx';

/** A list from the file to the checked file. */
export function ListsPage() {
  const { lists, session } = useConsole();
  const state = lists.state.value;
  useEffect(() => {
    // What something costs is told with the balance of now.
    void session.refresh();
  }, []);
  return (
    <Page
      title="Check a list"
      lead="Every address once, with your columns, order and quoting kept. Unknown, duplicate and rejected rows cost nothing."
    >
      <CurrentList state={state} />
      {state.kind === 'running' || state.kind === 'paused' || state.kind === 'done' ? (
        <Outcome list={state.list} />
      ) : null}
    </Page>
  );
}

function CurrentList({ state }: { state: ListState }) {
  switch (state.kind) {
    case 'empty':
      return <ChooseList />;
    case 'reading':
      return (
        <p class="card" role="status">
          Reading {state.name} …
        </p>
      );
    case 'unreadable':
      return <ChooseList problem={`${state.name} cannot be read: ${state.why}.`} />;
    case 'column_needed':
      return <ColumnPicker file={state.file} layout={state.layout} />;
    case 'ready':
      return <ReadyList list={state.list} />;
    case 'running':
      return <RunningList list={state.list} progress={state.progress} />;
    case 'paused':
      return <PausedList list={state.list} failure={state.failure} isOld={state.isOld} />;
    case 'done':
      return <DoneList list={state.list} />;
  }
}
