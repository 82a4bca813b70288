import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { contractLimits, type Client } from '@mailproof/client';
import type { FoundLayout } from '@mailproof/client/lists';
import type { Failure } from '../api/failure.ts';
import type { SavedList, ListStore } from './list-store.ts';
import { openList, type ListFile, type OpenList } from './open-list.ts';
import { enterBatch, runList } from './run-list.ts';

export type RunProgress = {
  answered: number;
  /** When this run began, and how many were answered by then. */
  startedAt: number;
  before: number;
};

/**
 * The one list that the page works on: empty → reading → `ready` (its cost is shown) → `running` → `done`. A run that
 * was stopped or refused is `paused` and can be resumed. It continues while other pages are shown, and after a reload.
 */
export type ListState =
  | { kind: 'empty' }
  | { kind: 'reading'; name: string }
  | { kind: 'unreadable'; name: string; why: string }
  | { kind: 'column_needed'; file: ListFile; layout: FoundLayout }
  | { kind: 'ready'; list: OpenList }
  | { kind: 'running'; list: OpenList; progress: RunProgress }
  | {
      kind: 'paused';
      list: OpenList;
      failure: Failure | undefined;
      /** Begun so long ago that the service may have forgotten tasks that were under way. */
      isOld: boolean;
    }
  | { kind: 'done'; list: OpenList };

export type ListController = {
  state: ReadonlySignal<ListState>;
  /** Grows whenever answers have come in. */
  revision: ReadonlySignal<number>;
  open(file: ListFile, column?: number): Promise<void>;
  /** Starts or resumes the run, which spends credits. */
  start(): void;
  stop(): void;
  /** Removes the list from the page and from this browser. */
  clear(): Promise<void>;
  /** For the account that has signed in: resumes its list, and drops another account's from the page. */
  restore(accountId: string): Promise<void>;
};

type ControllerParts = {
  client: Pick<Client, 'verifyMany'>;
  store: ListStore;
  accountId: () => string | undefined;
  /** Lets the page draw before more is read. */
  pause: () => Promise<void>;
  untilConnected: (signal: AbortSignal) => Promise<void>;
  now: () => number;
  randomKey: () => string;
  onEnd: (state: ListState) => void;
};

/** Answers come in by the hundred. Drawing them takes longer the more rows there are, and is done the less often. */
const showEveryMs = 400;
const showMsPerRow = 0.05;
/** How long the service remembers an idempotency key; a task created longer ago may be paid for again. */
const keysLastMs = 86_400_000;

/** The state that is shown, and what is not: the saved form of the list, and the way to stop the run. */
type Held = {
  state: Signal<ListState>;
  revision: Signal<number>;
  saved: SavedList | undefined;
  /** Whose list it is. */
  owner: string | undefined;
  stopping: AbortController;
};

export function createListController(parts: ControllerParts): ListController {
  const held: Held = {
    state: signal<ListState>({ kind: 'empty' }),
    revision: signal(0),
    saved: undefined,
    owner: undefined,
    stopping: new AbortController(),
  };
  const { state, revision } = held;
  return {
    state,
    revision,
    open: (file, column) => open(file, column, { held, parts }),
    start() {
      const current = state.peek();
      if (current.kind !== 'ready' && current.kind !== 'paused') return;
      // The key of the run is saved before the first task is created: a reload finds what was paid for.
      void save(current.list, false, { held, parts }).then(() => run(current.list, { held, parts }));
    },
    stop() {
      const current = state.peek();
      if (current.kind !== 'running') return;
      held.stopping.abort(new Error('stopped by hand'));
      void save(current.list, true, { held, parts });
    },
    clear: () => clear({ held, parts }),
    restore: (accountId) => restore(accountId, { held, parts }),
  };
}

type Context = { held: Held; parts: ControllerParts };

async function open(file: ListFile, column: number | undefined, { held, parts }: Context): Promise<void> {
  const { state } = held;
  held.saved = undefined;
  held.owner = parts.accountId();
  state.value = { kind: 'reading', name: file.name };
  const opened = await openList(file, column, parts.pause);
  switch (opened.kind) {
    case 'opened':
      state.value = { kind: 'ready', list: opened.list };
      return;
    case 'column_needed':
      state.value = opened;
      return;
    case 'unreadable':
      state.value = { ...opened, name: file.name };
  }
}

async function run(list: OpenList, { held, parts }: Context): Promise<void> {
  const { state, revision, saved } = held;
  const { accountId = '', resumeKey = '' } = saved ?? {};
  const before = list.answers.filter((answer) => answer !== undefined).length;
  const startedAt = parts.now();
  let shownAt = startedAt;
  const show = (answered: number) => {
    if (stopped.aborted) return;
    state.value = { kind: 'running', list, progress: { answered, startedAt, before } };
    if (parts.now() - shownAt < showEveryMs + showMsPerRow * list.survey.rows) return;
    shownAt = parts.now();
    revision.value += 1;
  };
  held.stopping = new AbortController();
  const { signal: stopped } = held.stopping;
  show(before);
  const end = await runList(
    { addresses: list.survey.addresses, answers: list.answers, resumeKey, name: taskName(list.name) },
    {
      client: parts.client,
      untilConnected: parts.untilConnected,
      onProgress: show,
      saveBatch: (batch, answers) => ignoreFailure(parts.store.saveBatch({ accountId, batch, answers })),
    },
    stopped,
  );
  const current = state.peek();
  // Another list may have been opened meanwhile.
  if (current.kind !== 'running' || current.list !== list) return;
  revision.value += 1;
  state.value =
    end.kind === 'done'
      ? { kind: 'done', list }
      : { kind: 'paused', list, failure: end.kind === 'failed' ? end.failure : undefined, isOld: false };
  parts.onEnd(state.value);
}

async function save(list: OpenList, isStopped: boolean, { held, parts }: Context): Promise<void> {
  const { saved } = held;
  held.saved = {
    accountId: parts.accountId() ?? '',
    name: list.name,
    bytes: list.bytes,
    column: list.layout.column,
    resumeKey: saved?.resumeKey ?? parts.randomKey(),
    startedAt: saved?.startedAt ?? parts.now(),
    isStopped,
  };
  await ignoreFailure(parts.store.saveList(held.saved));
}

async function clear({ held, parts }: Context): Promise<void> {
  held.stopping.abort(new Error('the list was removed'));
  const accountId = held.saved?.accountId ?? parts.accountId();
  held.saved = undefined;
  held.state.value = { kind: 'empty' };
  if (accountId !== undefined) await ignoreFailure(parts.store.remove(accountId));
}

/** Drops the list from the page; it stays saved for its owner. */
function detach(held: Held): void {
  held.stopping.abort(new Error('somebody else has signed in'));
  held.saved = undefined;
  held.state.value = { kind: 'empty' };
}

/** A run that ended with its session has a new one now. */
function continueRun(context: Context): void {
  const current = context.held.state.peek();
  if (current.kind === 'paused' && current.failure?.status === 401) void run(current.list, context);
}

async function restore(accountId: string, context: Context): Promise<void> {
  const { held, parts } = context;
  const { state, revision } = held;
  const isEmpty = () => state.peek().kind === 'empty';
  if (!isEmpty() && held.owner !== accountId) detach(held);
  if (!isEmpty()) {
    continueRun(context);
    return;
  }
  held.owner = accountId;
  const found = await parts.store.load(accountId).catch(() => undefined);
  if (found === undefined || !isEmpty()) return;
  const { list: file, batches } = found;
  state.value = { kind: 'reading', name: file.name };
  const opened = await openList({ name: file.name, bytes: file.bytes }, file.column, parts.pause);
  if (opened.kind !== 'opened') return clear(context);
  const { list } = opened;
  held.saved = file;
  const isOld = parts.now() - file.startedAt > keysLastMs;
  for (const { batch, answers } of batches) enterBatch(list.answers, batch, answers);
  revision.value += 1;
  if (list.answers.every((answer) => answer !== undefined)) state.value = { kind: 'done', list };
  else if (file.isStopped || isOld) state.value = { kind: 'paused', list, failure: undefined, isOld };
  else void run(list, context);
}

/** A browser that stores nothing can still check a list, as long as the page stays open. */
async function ignoreFailure(saving: Promise<void>): Promise<void> {
  await saving.catch(() => undefined);
}

/** Tasks are named after the list, as far as a name may go. */
function taskName(name: string): string {
  return Array.from(name).slice(0, contractLimits.nameCharacters).join('');
}
