import { missedGoals } from './goals.ts';
import { faults, type Fault } from './faults.ts';
import { openInstallation } from './installation.ts';
import { runFault, type FaultReport } from './run-fault.ts';

/** A fault that was brought about, or why it was not. */
export type DrillResult =
  | { kind: 'done'; report: FaultReport; missed: string[] }
  | { kind: 'left_out'; fault: string; title: string; why: string };

type DrillOrder = {
  faults?: readonly Fault[];
  quick: boolean;
  /** Where programs are found. */
  path: string;
  signal: AbortSignal;
  onProgress: (what: string) => void;
  /** Called with each result as it comes. */
  onResult: (result: DrillResult) => Promise<void> | void;
};

/** Opens an installation, brings the faults about one after the other, and takes everything down again. */
export async function runDrill(order: DrillOrder): Promise<DrillResult[]> {
  const { quick, path, signal, onResult } = order;
  const chosen = order.faults ?? faults;
  order.onProgress('starting PostgreSQL, the mail hosts, two probers, a worker and an API');
  const installation = await openInstallation({ path, signal });
  const results: DrillResult[] = [];
  try {
    let firstQuestion = 0;
    for (const [at, fault] of chosen.entries()) {
      signal.throwIfAborted();
      const onProgress = (what: string) => order.onProgress(`${at + 1} of ${chosen.length}: ${what}`);
      const { name, title } = fault;
      const why = fault.leftOut?.(installation);
      if (why !== undefined) results.push({ kind: 'left_out', fault: name, title, why });
      else {
        const ran = await runFault(fault, { installation, quick, firstQuestion, signal, onProgress });
        firstQuestion = ran.nextQuestion;
        results.push({ kind: 'done', report: ran.report, missed: missedGoals(ran.report) });
      }
      const result = results.at(-1);
      if (result !== undefined) await onResult(result);
    }
    return results;
  } finally {
    order.onProgress('stopping everything');
    await installation.close();
  }
}
