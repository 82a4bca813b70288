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

/** Checks a list, from upload to download. */
export function ListsPage() {
  const { lists, session } = useConsole();
  const state = lists.state.value;
  useEffect(() => {
    // The cost is shown with the current balance.
    void session.refresh();
  }, []);
  return (
    <Page
      title="Check a list"
      lead="Each address is checked once. Your columns, order and quoting stay as they are. Unknown, duplicate and rejected rows are free."
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
      return <ChooseList problem={`${state.name}: ${state.why}`} />;
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
