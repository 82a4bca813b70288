import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The length of a window, and the resolution of the delay in it. */
const windowMs = 500;
const resolutionMs = 20;

/**
 * Reports the worst delay of the event loop per window. The histogram includes the pause it sleeps for, so that is
 * subtracted.
 */
export function watchEventLoop(onWindow: (window: { loopDelayMs: number }) => void): () => void {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  const timer = setInterval(() => {
    const loopDelayMs = Math.max(0, histogram.max / 1e6 - resolutionMs);
    onWindow({ loopDelayMs });
    histogram.reset();
  }, windowMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    histogram.disable();
  };
}
