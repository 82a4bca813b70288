/** How late the event loop of this process runs, from now until it is stopped. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { answerQuestions, type ChildModule } from '../processes/child.ts';
import { collectOwnTimes } from '../processes/cpu-time.ts';

export type LoopDelay = {
  loopDelayP99Ms: number;
  loopDelayMaxMs: number;
  /**
   * CPU time of the thread between two looks of a timer: the time that its own work keeps others waiting. If the loop
   * keeps up, that is all it did in those ten milliseconds.
   */
  loopWorkP99Ms: number;
  loopWorkMaxMs: number;
  /** The same of the looks around which the host of a virtual machine gave nothing to others. */
  loopOwnWorkMaxMs: number;
};

const resolutionMs = 10;

export function watchLoop(): { stop(): LoopDelay } {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  const work = collectOwnTimes();
  let before = threadMs();
  let lookedAt = performance.now();
  let longestGapMs = 0;
  const look = (): void => {
    const now = threadMs();
    work.push(now - before);
    before = now;
    longestGapMs = Math.max(longestGapMs, performance.now() - lookedAt);
    lookedAt = performance.now();
  };
  const looking = setInterval(look, resolutionMs).unref();
  delay.enable();
  // The histogram counts the pause it sleeps for as well.
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  return {
    stop() {
      delay.disable();
      // The histogram misses what came before its second look and after its last.
      look();
      clearInterval(looking);
      const sorted = work.all.toSorted((a, b) => a - b);
      return {
        loopDelayP99Ms: late(delay.percentile(99)),
        loopDelayMaxMs: Math.max(late(delay.max), longestGapMs - resolutionMs),
        loopWorkP99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
        loopWorkMaxMs: sorted.at(-1) ?? 0,
        loopOwnWorkMaxMs: Math.max(0, ...work.own()),
      };
    },
  };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** A process that does nothing while another is measured, so that only the machine delays its loop. */
export type IdleQuestion = { kind: 'begin' } | { kind: 'end' };

export const idleModule: ChildModule<IdleQuestion, LoopDelay | undefined> = {
  path: import.meta.filename,
};

const watch: { running?: ReturnType<typeof watchLoop> } = {};

answerQuestions(import.meta.filename, (question: IdleQuestion): Promise<LoopDelay | undefined> => {
  switch (question.kind) {
    case 'begin':
      watch.running = watchLoop();
      return Promise.resolve(undefined);
    case 'end':
      return Promise.resolve(watch.running?.stop());
  }
});
