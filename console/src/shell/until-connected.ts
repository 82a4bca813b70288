const tryAgainMs = 3_000;

/** Resolves when the browser says that it is back on line, and after a few seconds in any case. */
export function untilConnected(window: Window, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => () => {
      clearTimeout(timer);
      window.removeEventListener('online', goOn);
      signal.removeEventListener('abort', giveUp);
      settle();
    };
    const goOn = end(resolve);
    const giveUp = end(() => reject(new Error('stopped while waiting')));
    const timer = setTimeout(goOn, tryAgainMs);
    window.addEventListener('online', goOn);
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
  });
}
