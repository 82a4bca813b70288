import type { Clock } from '@mailproof/engine';
import type { Logger } from 'pino';
import type { OnGroup } from '../core/store/groups/time-group.ts';
import { StoreUnavailableError } from '../core/store/store-unavailable-error.ts';
import { countRefused, faultCause } from '../core/http/pipeline/log-refusals.ts';
import type { LogRequest } from '../core/http/pipeline/log-request.ts';
import { createFaultLog } from '../core/process/fault-log.ts';
import type { Metrics } from '../features/metrics/create-metrics.ts';
import { watchGroups } from '../features/metrics/watch-events.ts';
import { createWriteFaults, type WriteFaults } from '../core/upkeep/store-watch.ts';

/** What fails on its way to those who tell of it: the log, the metrics, and the state of the store. */
type WatchedFaults = {
  /** Takes what a job of the service could not do. */
  onProblem: (message: string, error?: unknown) => void;
  onGroup: OnGroup;
  /** What transactions met in the last seconds. */
  faults: WriteFaults;
  /** Has requests that got 503 counted. */
  counted: (logRequest: LogRequest) => LogRequest;
  stop: () => void;
};

type WatchFaultsParts = { logger: Logger; clock: Clock; metrics: Metrics };

export function watchFaults({ logger, clock, metrics }: WatchFaultsParts): WatchedFaults {
  const faultLog = createFaultLog({ logger, clock });
  const faults = createWriteFaults({ clock });
  const countGroup = watchGroups(metrics);
  return {
    onProblem: (name, error) => {
      if (error instanceof StoreUnavailableError)
        faultLog.note(faultCause(`store_${error.fault}`), { kind: 'job', name });
      else logger.error({ err: error }, name);
    },
    onGroup: (report) => {
      faults.note(report);
      countGroup(report);
    },
    faults,
    counted: (logRequest) => countRefused(logRequest, faultLog),
    stop: () => faultLog.stop(),
  };
}
