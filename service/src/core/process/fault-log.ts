import type { Clock } from '@mailproof/engine';
import type { Logger } from 'pino';

/**
 * Logs a fault that fails much of the work: once when it begins, then once a minute with counts. A full disk fails
 * thousands of requests and jobs a minute, and a line for each would say the same and fill the disk of the log.
 *
 *     quiet ──first failure: a line──▶ counting ──a minute with failures: a line──▶ counting
 *                                      counting ──a minute without──▶ quiet
 */
export type FaultLog = {
  note: (cause: FaultCause, failed: FailedWork) => void;
  /** Logs what was counted since the last line. */
  stop: () => void;
};

/** One cause has one word for programs and one sentence for people, without its full stop. */
export type FaultCause = { fault: string; sentence: string };

/** A request was answered 503; a job of the service itself failed, and is tried again. */
export type FailedWork = { kind: 'request' } | { kind: 'job'; name: string };

type Counting = FaultCause & {
  requests: number;
  jobs: number;
  lastJob: string | undefined;
  cancel: () => void;
};

const everyMs = 60_000;

export function createFaultLog({ logger, clock }: { logger: Logger; clock: Pick<Clock, 'after'> }): FaultLog {
  const counting = new Map<string, Counting>();

  function open(cause: FaultCause): Counting {
    const { fault, sentence } = cause;
    const cancel = clock.after(everyMs, () => endMinute(fault));
    const opened = { fault, sentence, requests: 0, jobs: 0, lastJob: undefined, cancel };
    counting.set(fault, opened);
    return opened;
  }

  function endMinute(fault: string): void {
    const minute = counting.get(fault);
    counting.delete(fault);
    if (minute === undefined || minute.requests + minute.jobs === 0) return;
    write(minute, ' in the last minute');
    open(minute);
  }

  function write({ fault, sentence, requests, jobs, lastJob }: Counting, when: string): void {
    const failed = [
      ...(requests > 0 ? [`${counted(requests, 'request')} got 503`] : []),
      ...(jobs > 0 ? [`${counted(jobs, 'job')} failed`] : []),
    ];
    const job = lastJob === undefined ? {} : { last_job: lastJob };
    logger.error({ fault, requests, jobs, ...job }, `${sentence}: ${failed.join(' and ')}${when}`);
  }

  return {
    note: (cause, failed) => {
      const known = counting.get(cause.fault);
      const minute = known ?? open(cause);
      if (failed.kind === 'request') minute.requests += 1;
      else {
        minute.jobs += 1;
        minute.lastJob = failed.name;
      }
      if (known !== undefined) return;
      write(minute, '');
      Object.assign(minute, { requests: 0, jobs: 0, lastJob: undefined });
    },
    stop: () => {
      for (const minute of counting.values()) {
        minute.cancel();
        if (minute.requests + minute.jobs > 0) write(minute, ' since the last line');
      }
      counting.clear();
    },
  };
}

function counted(count: number, thing: string): string {
  return `${count.toLocaleString('en-US')} ${thing}${count === 1 ? '' : 's'}`;
}
