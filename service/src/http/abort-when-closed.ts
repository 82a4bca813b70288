import type { ServerResponse } from 'node:http';

/** A signal that fires when the client hangs up before it has its answer: nobody waits for the work any more. */
export function abortWhenClosed(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const onClose = () => {
    if (!response.writableEnded) controller.abort();
  };
  if (response.closed) onClose();
  else response.on('close', onClose);
  return controller.signal;
}
