import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What the machine does to a test that measures time: others may have the processor. */

/** The processor time of this process so far: the work done, however long the processor was waited for. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** How late the timers of this process are at worst, from now on. What has a deadline may be as late as they are. */
export function watchLateness(): { worstMs: () => number } {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return {
    worstMs: () => {
      delay.disable();
      return 2 * (delay.max / 1e6);
    },
  };
}
