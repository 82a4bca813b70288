import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { ListFile } from './list-file.ts';
import { ListProblem } from './list-problem.ts';
import { workbookLimits } from './workbook-limits.ts';
import type { FromThread, SheetPart, ThreadJob, ThreadOrder, ToThread } from './workbook-thread.ts';

/**
 * Reads a workbook in a thread with a heap of its own. The reader counts what it holds, so the heap's limit is the second
 * wall: a file that gets past the counts ends its thread and is refused, and the process goes on.
 */
export async function* readInThread(
  file: ListFile,
  job: ThreadJob,
  limits: { heapMb: number; silenceMs: number } = workbookLimits,
): AsyncGenerator<SheetPart> {
  const thread = startThread({ size: file.size, job }, limits);
  try {
    for (;;) {
      const message = await thread.next();
      switch (message.kind) {
        case 'read':
          thread.answer({
            kind: 'bytes',
            id: message.id,
            bytes: await file.slice(message.start, message.end),
          });
          break;
        case 'part':
          yield message.part;
          thread.answer({ kind: 'go_on', id: message.id });
          break;
        case 'problem':
          throw new ListProblem(message.reason, message.detail);
        case 'done':
          return;
      }
    }
  } finally {
    await thread.end();
  }
}

/** Compiled, the thread's file stands beside this one as JavaScript. */
const program = new URL(`./workbook-thread${import.meta.url.slice(-3)}`, import.meta.url);

function startThread(order: ThreadOrder, { heapMb, silenceMs }: { heapMb: number; silenceMs: number }) {
  // Limits of the heap that the process was started with apply to its threads too, in place of those below. They have
  // been applied to this one by now, so they can be taken back.
  setFlagsFromString('--max-old-space-size=0');
  setFlagsFromString('--max-semi-space-size=0');
  const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 4, stackSizeMb: 2 };
  const worker = new Worker(program, { workerData: order, resourceLimits, env: {} });
  const arrived: (FromThread | Error)[] = [];
  let onArrival: (() => void) | undefined;
  const put = (message: FromThread | Error): void => {
    arrived.push(message);
    onArrival?.();
  };
  worker.on('message', put);
  worker.on('error', (error: Error) => put(isOutOfMemory(error) ? tooCostly('memory') : error));
  worker.on('exit', () => put(new Error('the thread that reads a workbook ended without an answer')));

  async function wait(): Promise<void> {
    const arrival = Promise.withResolvers<undefined>();
    onArrival = () => arrival.resolve(undefined);
    const timer = setTimeout(() => put(tooCostly('time')), silenceMs);
    try {
      await arrival.promise;
    } finally {
      clearTimeout(timer);
      onArrival = undefined;
    }
  }

  return {
    async next(): Promise<FromThread> {
      if (arrived.length === 0) await wait();
      const message = arrived.shift();
      if (message === undefined || message instanceof Error) throw message ?? new Error('nothing arrived');
      return message;
    },
    answer: (message: ToThread) => worker.postMessage(message),
    end: () => worker.terminate(),
  };
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooCostly(what: 'memory' | 'time'): ListProblem {
  return new ListProblem(
    'list_too_large',
    `The workbook takes more ${what} to read than one upload may. Export the list as CSV and upload that.`,
  );
}
