import type { CountedVerification } from '../../../core/verify/count-singles.ts';
import { createVerdictCounts } from './verdict-counts.ts';
import type { Result } from '../../../core/verify/tasks/result.ts';
import { repeat } from '../../../core/process/repeat.ts';

/** Counts the outcomes of verifications as long as the process runs, and saves them every few seconds. */
type Counting = {
  note: (verification: CountedVerification) => void;
  /** For the results of tasks. */
  onResult: (result: Result) => void;
  /** Saves the last counts. */
  stop: () => Promise<void>;
};

type CountingParts = Parameters<typeof createVerdictCounts>[0] &
  Omit<Parameters<typeof repeat>[1], 'everyMs'>;

const writeEveryMs = 5_000;

export function startCounting(parts: CountingParts): Counting {
  const counts = createVerdictCounts(parts);
  const writing = repeat(counts.write, { ...parts, everyMs: writeEveryMs });
  return {
    note: counts.note,
    onResult: ({ verdict, explanation }) => {
      const { reason, mail_host: mailHost, timings_ms: timings } = explanation;
      counts.note({ outcome: verdict.status, reason, mailHost, timings });
    },
    stop: async () => {
      await writing.stop();
      // A failing store must not delay the shutdown.
      await counts.write().catch((error: unknown) => parts.onProblem('cannot save the last counts', error));
    },
  };
}
