import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { contractLimits, type Client } from '@mailproof/client';
import type { FoundLayout } from '@mailproof/client/lists';
import type { Failure } from '../api/failure.ts';
import type { KeptList, ListKeeper } from './list-keeper.ts';
import { openList, type ListFile, type OpenList } from './open-list.ts';
import { enterBatch, runList } from './run-list.ts';

export type RunProgress = {
  answered: number;
  /** When this run began, and how many were answered by then. */
  startedAt: number;
  before: number;
};

/**
 * The one list that is on the desk: brought → read → looked at (`ready`) → `running` → `done`. A run that was stopped
 * or refused is `paused` and can go on. It goes on while other pages are shown, and after a reload.
 */
export type DeskState =
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

export type ListDesk = {
  state: ReadonlySignal<DeskState>;
  /** Grows whenever answers have come in. */
  revision: ReadonlySignal<number>;
  bring(file: ListFile, column?: number): Promise<void>;
  /** Begins to spend, or goes on. */
  start(): void;
  stop(): void;
  /** Takes the list off the desk and out of this browser. */
  clear(): Promise<void>;
  /** The account that is signed in: its list goes on where it was, and another's is put aside. */
  recall(accountId: string): Promise<void>;
};

type DeskParts = {
  client: Pick<Client, 'verifyMany'>;
  keeper: ListKeeper;
  accountId: () => string | undefined;
  /** Lets the page draw before more is read. */
  pause: () => Promise<void>;
  untilConnected: (signal: AbortSignal) => Promise<void>;
  now: () => number;
  randomKey: () => string;
  onEnd: (state: DeskState) => void;
};

/** Answers come in by the hundred. Drawing them takes longer the more rows there are, and is done the less often. */
const showEveryMs = 400;
const showMsPerRow = 0.05;
/** For as long the service knows an idempotency key; what was under way longer ago may be paid for again. */
const keysLastMs = 86_400_000;

/** What lies on the desk, with what is not for the page: the kept form of the list, and the way to stop the run. */
type Inside = {
  state: Signal<DeskState>;
  revision: Signal<number>;
  kept: KeptList | undefined;
  /** Whose list it is. */
  owner: string | undefined;
  stopping: AbortController;
};

export function createListDesk(parts: DeskParts): ListDesk {
  const inside: Inside = {
    state: signal<DeskState>({ kind: 'empty' }),
    revision: signal(0),
    kept: undefined,
    owner: undefined,
    stopping: new AbortController(),
  };
  const { state, revision } = inside;
  return {
    state,
    revision,
    bring: (file, column) => bring(file, column, { inside, parts }),
    start() {
      const current = state.peek();
      if (current.kind !== 'ready' && current.kind !== 'paused') return;
      // The key of the run is kept before the first task is created: a reload finds what was paid for.
      void keep(current.list, false, { inside, parts }).then(() => run(current.list, { inside, parts }));
    },
    stop() {
      const current = state.peek();
      if (current.kind !== 'running') return;
      inside.stopping.abort(new Error('stopped by hand'));
      void keep(current.list, true, { inside, parts });
    },
    clear: () => clear({ inside, parts }),
    recall: (accountId) => recall(accountId, { inside, parts }),
  };
}

type Desk = { inside: Inside; parts: DeskParts };

async function bring(file: ListFile, column: number | undefined, { inside, parts }: Desk): Promise<void> {
  const { state } = inside;
  inside.kept = undefined;
  inside.owner = parts.accountId();
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

async function run(list: OpenList, { inside, parts }: Desk): Promise<void> {
  const { state, revision, kept } = inside;
  const { accountId = '', resumeKey = '' } = kept ?? {};
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
  inside.stopping = new AbortController();
  const { signal: stopped } = inside.stopping;
  show(before);
  const end = await runList(
    { addresses: list.survey.addresses, answers: list.answers, resumeKey, name: taskName(list.name) },
    {
      client: parts.client,
      untilConnected: parts.untilConnected,
      onProgress: show,
      keepBatch: (batch, answers) => orGoOn(parts.keeper.keepBatch({ accountId, batch, answers })),
    },
    stopped,
  );
  const current = state.peek();
  // Something else may lie on the desk by now.
  if (current.kind !== 'running' || current.list !== list) return;
  revision.value += 1;
  state.value =
    end.kind === 'done'
      ? { kind: 'done', list }
      : { kind: 'paused', list, failure: end.kind === 'failed' ? end.failure : undefined, isOld: false };
  parts.onEnd(state.value);
}

async function keep(list: OpenList, isStopped: boolean, { inside, parts }: Desk): Promise<void> {
  const { kept } = inside;
  inside.kept = {
    accountId: parts.accountId() ?? '',
    name: list.name,
    bytes: list.bytes,
    column: list.layout.column,
    resumeKey: kept?.resumeKey ?? parts.randomKey(),
    startedAt: kept?.startedAt ?? parts.now(),
    isStopped,
  };
  await orGoOn(parts.keeper.keepList(inside.kept));
}

async function clear({ inside, parts }: Desk): Promise<void> {
  inside.stopping.abort(new Error('the list was taken off the desk'));
  const accountId = inside.kept?.accountId ?? parts.accountId();
  inside.kept = undefined;
  inside.state.value = { kind: 'empty' };
  if (accountId !== undefined) await orGoOn(parts.keeper.forget(accountId));
}

/** Off the desk, and kept for its owner. */
function putAside(inside: Inside): void {
  inside.stopping.abort(new Error('somebody else has signed in'));
  inside.kept = undefined;
  inside.state.value = { kind: 'empty' };
}

/** A run that ended with its session has a new one now. */
function goOn(desk: Desk): void {
  const current = desk.inside.state.peek();
  if (current.kind === 'paused' && current.failure?.status === 401) void run(current.list, desk);
}

async function recall(accountId: string, desk: Desk): Promise<void> {
  const { inside, parts } = desk;
  const { state, revision } = inside;
  const isEmpty = () => state.peek().kind === 'empty';
  if (!isEmpty() && inside.owner !== accountId) putAside(inside);
  if (!isEmpty()) {
    goOn(desk);
    return;
  }
  inside.owner = accountId;
  const found = await parts.keeper.recall(accountId).catch(() => undefined);
  if (found === undefined || !isEmpty()) return;
  const { list: file, batches } = found;
  state.value = { kind: 'reading', name: file.name };
  const opened = await openList({ name: file.name, bytes: file.bytes }, file.column, parts.pause);
  if (opened.kind !== 'opened') return clear(desk);
  const { list } = opened;
  inside.kept = file;
  const isOld = parts.now() - file.startedAt > keysLastMs;
  for (const { batch, answers } of batches) enterBatch(list.answers, batch, answers);
  revision.value += 1;
  if (list.answers.every((answer) => answer !== undefined)) state.value = { kind: 'done', list };
  else if (file.isStopped || isOld) state.value = { kind: 'paused', list, failure: undefined, isOld };
  else void run(list, desk);
}

/** A browser that keeps nothing can still check a list, as long as the page stays open. */
async function orGoOn(keeping: Promise<void>): Promise<void> {
  await keeping.catch(() => undefined);
}

/** Tasks are named after the list, as far as a name may go. */
function taskName(name: string): string {
  return Array.from(name).slice(0, contractLimits.nameCharacters).join('');
}
