import { missedGoals } from './goals.ts';
import { faults, type Fault, type FaultOf } from './faults.ts';
import { openSingleInstallation, openSplitInstallation, type Installation } from './installation.ts';
import { runFault, type FaultReport } from './run-fault.ts';

/** A fault that was brought about, or why it was not. */
export type DrillResult =
  | { kind: 'done'; report: FaultReport; missed: string[] }
  | { kind: 'left_out'; fault: string; title: string; why: string };

type DrillOrder = {
  faults?: readonly Fault[];
  quick: boolean;
  /** The PATH for programs. */
  path: string;
  signal: AbortSignal;
  onProgress: (what: string) => void;
  /** Called with each result as it comes. */
  onResult: (result: DrillResult) => Promise<void> | void;
};

/** Opens the installations that the faults need, one after the other, and brings the faults about. */
export async function runDrill(order: DrillOrder): Promise<DrillResult[]> {
  const chosen = order.faults ?? faults;
  const split = chosen.filter((fault) => fault.on === 'split');
  const single = chosen.filter((fault) => fault.on === 'single');
  const ofSplit = await runFaults(split, {
    ...order,
    what: 'PostgreSQL, the mail hosts, two probers, a worker and an API',
    open: openSplitInstallation,
    counted: { from: 0, of: chosen.length },
  });
  const ofSingle = await runFaults(single, {
    ...order,
    what: 'the mail hosts and a single process on SQLite',
    open: openSingleInstallation,
    counted: { from: split.length, of: chosen.length },
  });
  return [...ofSplit, ...ofSingle];
}

type RunOrder<Kind extends Installation> = DrillOrder & {
  what: string;
  open(order: Pick<DrillOrder, 'path' | 'signal'>): Promise<Kind>;
  counted: { from: number; of: number };
};

/** Opens an installation, brings its faults about one after the other, and takes everything down again. */
async function runFaults<Kind extends Installation>(
  chosen: readonly FaultOf<Kind>[],
  order: RunOrder<Kind>,
): Promise<DrillResult[]> {
  if (chosen.length === 0) return [];
  const { quick, path, signal, counted, onResult } = order;
  signal.throwIfAborted();
  order.onProgress(`starting ${order.what}`);
  const installation = await order.open({ path, signal });
  const results: DrillResult[] = [];
  try {
    let firstQuestion = 0;
    for (const [at, fault] of chosen.entries()) {
      signal.throwIfAborted();
      const onProgress = (what: string) =>
        order.onProgress(`${counted.from + at + 1} of ${counted.of}: ${what}`);
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
