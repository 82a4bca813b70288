import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How long one window is, and how finely delay is measured in it. */
const windowMs = 500;
const resolutionMs = 20;

/**
 * Tells, window by window, how long the event loop was held up at worst. The histogram counts the
 * pause it sleeps for as well, so that is taken off.
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
