import { reasonOf, type ClientParts } from './client-parts.ts';
import { inBatches, type Batch, type Entry, type ManyAnswer } from './in-batches.ts';
import { matchResults } from './match-results.ts';
import type { CompletedTask, RunTaskOptions } from './run-task.ts';
import { sha256 } from './sha256.ts';
import { createRunProgress, type ManyProgress, type RunProgress } from './run-progress.ts';

export type VerifyManyOptions = {
  /** Tasks under way at once. */
  concurrency?: number | undefined;
  /**
   * Names this run over this list. Started again after a crash with the same key and the same list, it finds the
   * tasks of the first run by their idempotency keys, for 24 hours, and pays for nothing twice.
   */
  resumeKey?: string | undefined;
  /** The name of each task; the same one again where a run is resumed. */
  name?: string | undefined;
  explain?: boolean | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: ManyProgress) => void) | undefined;
};

type RunTask = (emails: readonly string[], options: RunTaskOptions) => Promise<CompletedTask>;

type Event =
  | { kind: 'read'; batch: Batch | undefined }
  | { kind: 'done'; work: Promise<Event>; answers: ManyAnswer[]; creditsUsed: number };

const usualConcurrency = 4;

/**
 * Tasks of 100, several at a time. Answers come task by task as they complete, not in the order of the list. At most
 * as many tasks as may run at once are held; the list is read no further than that. When one task fails,
 * the run ends with its error; the others go on in the service, and a resume key finds them again.
 */
export async function* verifyMany(
  emails: Iterable<string> | AsyncIterable<string>,
  options: VerifyManyOptions,
  { runTask, parts }: { runTask: RunTask; parts: ClientParts },
): AsyncGenerator<ManyAnswer, void, undefined> {
  const stop = linkedController(options.signal);
  const progress = createRunProgress(options.onProgress);
  const run = {
    runTask,
    options,
    progress,
    signal: stop.signal,
    runKey: options.resumeKey ?? randomKey(parts),
  };
  const batches = inBatches(emails);
  const working = new Set<Promise<Event>>();
  let reading: Promise<Event> | undefined;
  let ended = false;
  try {
    for (;;) {
      const hasRoom = working.size < (options.concurrency ?? usualConcurrency);
      if (!ended && hasRoom) reading ??= batches.next().then(readEvent);
      if (reading === undefined && working.size === 0) return;
      const event = await Promise.race([
        stop.aborted,
        ...working,
        ...(reading === undefined ? [] : [reading]),
      ]);
      if (event.kind === 'done') {
        working.delete(event.work);
        progress.complete(event.answers.length, event.creditsUsed);
        yield* event.answers;
        continue;
      }
      reading = undefined;
      if (event.batch === undefined) {
        ended = true;
        continue;
      }
      const { entries, rejected } = event.batch;
      progress.read(entries.length + rejected.length);
      if (rejected.length > 0) progress.complete(rejected.length, 0);
      if (entries.length > 0) working.add(begin(entries, run));
      yield* rejected;
    }
  } finally {
    stop.end();
    // The source may never come to an end by itself, so its goodbye is not waited for.
    batches.return(undefined).catch(() => undefined);
  }
}

function readEvent(read: IteratorResult<Batch, void>): Event {
  return { kind: 'read', batch: read.done === true ? undefined : read.value };
}

type Run = {
  runTask: RunTask;
  options: VerifyManyOptions;
  progress: RunProgress;
  signal: AbortSignal;
  runKey: string;
};

function begin(entries: Entry[], run: Run): Promise<Event> {
  const work: Promise<Event> = answer(entries, run).then((done) => ({ kind: 'done', work, ...done }));
  // It is awaited in the race; where the run ends before that, its failure is of no interest any more.
  work.catch(() => undefined);
  return work;
}

async function answer(entries: Entry[], { runTask, options, progress, signal, runKey }: Run) {
  const emails = entries.map(({ email }) => email);
  const followTask = progress.follow();
  const { results, creditsUsed } = await runTask(emails, {
    idempotencyKey: `many-${sha256(JSON.stringify([runKey, emails]))}`,
    name: options.name,
    explain: options.explain,
    signal,
    onProgress: ({ count_checked: checked }) => followTask.checked(checked),
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
function linkedController(caller: AbortSignal | undefined) {
  const controller = new AbortController();
  const passOn = () => controller.abort(reasonOf(caller));
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(reasonOf(controller.signal)), { once: true });
  });
  aborted.catch(() => undefined);
  if (caller?.aborted === true) passOn();
  else caller?.addEventListener('abort', passOn, { once: true });
  return {
    signal: controller.signal,
    /** Rejects with the caller's reason; a source that gives nothing more must not keep it from stopping. */
    aborted,
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
