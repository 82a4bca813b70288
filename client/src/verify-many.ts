import { contractLimits } from './contract.ts';
import { reasonOf, type ClientParts } from './exchange.ts';
import { matchResults } from './match-results.ts';
import { sha256 } from './sha256.ts';
import type { CompletedTask, RunTaskOptions } from './task-calls.ts';
import type { BulkResultRecord } from './verification-types.ts';

export type VerifyManyOptions = {
  /** Addresses outstanding at once, in hundreds. This is the number of tasks at once while none of them waits. */
  concurrency?: number | undefined;
  /**
   * Names this run over this list. After a crash, a run with the same key and list finds the tasks of the first run
   * for 24 hours. Nothing is charged twice.
   */
  resumeKey?: string | undefined;
  /** The name of each task. A resumed run needs the same name. */
  name?: string | undefined;
  explain?: boolean | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: ManyProgress) => void) | undefined;
};

type RunTask = (emails: readonly string[], options: RunTaskOptions) => Promise<CompletedTask>;

type Event =
  | { kind: 'read'; batch: Batch | undefined }
  | { kind: 'checked' }
  | { kind: 'done'; task: OpenTask; answers: ManyAnswer[]; creditsUsed: number }
  | { kind: 'failed'; error: unknown };

/** A task under way; the addresses that it has not checked yet are outstanding. */
type OpenTask = { entries: Entry[]; unchecked: number };

const usualConcurrency = 4;

/** Gaps between two looks at a task grow with the number of tasks, so far. */
const slowestBy = 6;

/**
 * Runs tasks of 100, and keeps a fixed number of addresses outstanding. A deferred address keeps its task open;
 * meanwhile its checked neighbours make room for the next task. Answers come task by task as they complete, not in
 * the order of the list. The list is read no further than there is room. When one task fails, the run ends with its
 * error; the others go on in the service, and a resume key finds them again.
 */
export async function* verifyMany(
  emails: Iterable<string> | AsyncIterable<string>,
  options: VerifyManyOptions,
  { runTask, parts }: { runTask: RunTask; parts: ClientParts },
): AsyncGenerator<ManyAnswer, void, undefined> {
  const events = createEventQueue();
  const stop = linkedController(options.signal, events);
  const progress = createRunProgress(options.onProgress);
  const concurrency = options.concurrency ?? usualConcurrency;
  const open = new Set<OpenTask>();
  const run: Run = {
    runTask,
    options,
    progress,
    events,
    signal: stop.signal,
    runKey: options.resumeKey ?? randomKey(parts),
    slowerBy: () => Math.min(Math.max(open.size / (4 * concurrency), 1), slowestBy),
  };
  const batches = inBatches(emails);
  let isReading = false;
  let ended = false;
  try {
    for (;;) {
      if (!ended && !isReading && hasRoom(open, concurrency)) {
        isReading = true;
        batches.next().then((read) => events.push(readEvent(read)), events.fail);
      }
      if (!isReading && open.size === 0) return;
      const event = await events.next();
      if (event.kind === 'failed') throw event.error;
      if (event.kind === 'checked') continue;
      if (event.kind === 'done') {
        open.delete(event.task);
        progress.complete(event.answers.length, event.creditsUsed);
        yield* event.answers;
        continue;
      }
      isReading = false;
      if (event.batch === undefined) {
        ended = true;
        continue;
      }
      const { entries, rejected } = event.batch;
      progress.read(entries.length + rejected.length);
      if (rejected.length > 0) progress.complete(rejected.length, 0);
      if (entries.length > 0) open.add(begin(entries, run));
      yield* rejected;
    }
  } finally {
    stop.end();
    // The source may never come to an end by itself, so its goodbye is not waited for.
    batches.return(undefined).catch(() => undefined);
  }
}

/** Tells whether one more task fits. An open task counts even if all its addresses are checked. */
function hasRoom(open: ReadonlySet<OpenTask>, concurrency: number): boolean {
  let outstanding = 0;
  for (const { unchecked } of open) outstanding += Math.max(unchecked, 1);
  return outstanding + contractLimits.bulkEmails <= concurrency * contractLimits.bulkEmails;
}

function readEvent(read: IteratorResult<Batch, void>): Event {
  return { kind: 'read', batch: read.done === true ? undefined : read.value };
}

/** The events of a run, in order, for its one loop. */
type EventQueue = ReturnType<typeof createEventQueue>;

function createEventQueue() {
  const events: Event[] = [];
  let wake: (() => void) | undefined;
  function push(event: Event): void {
    // The loop looks at all counts together, so one such event is enough.
    if (event.kind === 'checked' && events.some(({ kind }) => kind === 'checked')) return;
    events.push(event);
    wake?.();
  }
  return {
    push,
    fail: (error: unknown) => push({ kind: 'failed', error }),
    async next(): Promise<Event> {
      for (;;) {
        const event = events.shift();
        if (event !== undefined) return event;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

type Run = {
  runTask: RunTask;
  options: VerifyManyOptions;
  progress: RunProgress;
  events: EventQueue;
  signal: AbortSignal;
  runKey: string;
  slowerBy: () => number;
};

function begin(entries: Entry[], run: Run): OpenTask {
  const task: OpenTask = { entries, unchecked: entries.length };
  const { events } = run;
  answer(task, run).then((done) => events.push({ kind: 'done', task, ...done }), events.fail);
  return task;
}

async function answer(task: OpenTask, { runTask, options, progress, events, signal, runKey, slowerBy }: Run) {
  const { entries } = task;
  const emails = entries.map(({ email }) => email);
  const followTask = progress.follow();
  const { results, creditsUsed } = await runTask(emails, {
    idempotencyKey: `many-${sha256(JSON.stringify([runKey, emails]))}`,
    name: options.name,
    explain: options.explain,
    signal,
    slowerBy,
    onProgress: ({ count_checked: checked, count_total: total }) => {
      task.unchecked = total - checked;
      followTask.checked(checked);
      events.push({ kind: 'checked' });
    },
  });
  followTask.end();
  const answers = matchResults(emails, results).map((result, i): ManyAnswer => {
    const { index, email } = entries[i] ?? { index: -1, email: '' };
    return result === undefined
      ? { kind: 'rejected', index, email, reason: 'not_an_address' }
      : { kind: 'verified', index, email, result };
  });
  return { answers, creditsUsed };
}

/** Follows the caller's signal until the end, and then stops whatever is still under way. */
function linkedController(caller: AbortSignal | undefined, events: EventQueue) {
  const controller = new AbortController();
  // A source that gives nothing more must not keep the caller's abort from being heard.
  const passOn = () => {
    controller.abort(reasonOf(caller));
    events.fail(reasonOf(caller));
  };
  if (caller?.aborted === true) passOn();
  else caller?.addEventListener('abort', passOn, { once: true });
  return {
    signal: controller.signal,
    end() {
      caller?.removeEventListener('abort', passOn);
      controller.abort(new Error('the run is over'));
    },
  };
}

/** Nothing secret: it keeps two runs apart. `crypto.randomUUID` is missing where a page came over plain http. */
function randomKey(parts: ClientParts): string {
  return [parts.now(), parts.random(), parts.random(), parts.random()].join('-');
}

/** The answer for one address of the list; `index` is its place in it, from 0. */
export type ManyAnswer =
  | { kind: 'verified'; index: number; email: string; result: BulkResultRecord }
  | { kind: 'rejected'; index: number; email: string; reason: RejectionReason };

/** Nothing but white space; over 254 characters; no address in the eyes of the service. None is charged. */
export type RejectionReason = 'blank' | 'too_long' | 'not_an_address';

/** An address that goes into a task. */
type Entry = { index: number; email: string };
/** The addresses for the next task, and the texts on the way that are no addresses. */
type Batch = { entries: Entry[]; rejected: ManyAnswer[] };
/** Splits the list into batches. Texts that cannot be addresses are answered here and take no place in a task. */
async function* inBatches(
  emails: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<Batch, void, undefined> {
  let batch: Batch = { entries: [], rejected: [] };
  let index = 0;
  for await (const email of emails) {
    const reason = rejectionOf(email.trim());
    if (reason === undefined) batch.entries.push({ index, email });
    else batch.rejected.push({ kind: 'rejected', index, email, reason });
    index += 1;
    const { entries, rejected } = batch;
    if (Math.max(entries.length, rejected.length) < contractLimits.bulkEmails) continue;
    if (entries.length === contractLimits.bulkEmails) {
      yield batch;
      batch = { entries: [], rejected: [] };
    } else {
      // The addresses stay until there are enough for a task: its content must not hang on what was rejected when.
      yield { entries: [], rejected };
      batch = { entries, rejected: [] };
    }
  }
  if (batch.entries.length + batch.rejected.length > 0) yield batch;
}

function rejectionOf(email: string): RejectionReason | undefined {
  if (email === '') return 'blank';
  const { emailCharacters } = contractLimits;
  // Code points are only counted where there are enough UTF-16 units for it to matter.
  return email.length > emailCharacters && Array.from(email).length > emailCharacters
    ? 'too_long'
    : undefined;
}

/** How far a run is. */
export type ManyProgress = {
  /** Addresses taken from the list so far. */
  read: number;
  /** Addresses answered, rejected ones included, and those checked inside tasks that still run. */
  answered: number;
  /** Credits charged for completed tasks. */
  creditsUsed: number;
};

/** Counts what a run has done, and reports it. */
type RunProgress = ReturnType<typeof createRunProgress>;

function createRunProgress(onProgress: ((progress: ManyProgress) => void) | undefined) {
  const counts = { read: 0, answered: 0, creditsUsed: 0 };
  let inside = 0;
  const tell = () => onProgress?.({ ...counts, answered: counts.answered + inside });
  return {
    read(count: number) {
      counts.read += count;
    },
    complete(count: number, credits: number) {
      counts.answered += count;
      counts.creditsUsed += credits;
      tell();
    },
    /** Counts what a task that runs has checked, until it ends and is counted whole. */
    follow() {
      let seen = 0;
      const set = (count: number) => {
        inside += count - seen;
        seen = count;
      };
      return {
        checked(count: number) {
          set(count);
          tell();
        },
        end: () => set(0),
      };
    },
  };
}
