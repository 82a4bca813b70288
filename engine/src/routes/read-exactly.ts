import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Patience } from '../patience.ts';

/**
 * So many bytes (one at least) from a socket and not one more: what comes after them stays in the socket's own buffer for
 * whoever reads next, and that buffer has a maximum of its own. An abort rejects with its reason.
 */
export type Exactly = { kind: 'bytes'; bytes: Buffer } | { kind: 'timeout' } | { kind: 'closed' };

export function readExactly(
  socket: Socket,
  size: number,
  { clock, patience }: { clock: Clock; patience: Patience },
): Promise<Exactly> {
  patience.signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const cancelTimer = clock.after(patience.deadline - clock.now(), () => finish({ kind: 'timeout' }));
    socket.on('readable', onReadable).on('end', onGone).on('close', onGone);
    patience.signal.addEventListener('abort', onAbort);
    onReadable();

    function stopWaiting(): void {
      cancelTimer();
      socket.off('readable', onReadable).off('end', onGone).off('close', onGone);
      patience.signal.removeEventListener('abort', onAbort);
    }
    function finish(exactly: Exactly): void {
      stopWaiting();
      // The socket learns in the next tick that nobody waits for `readable` any more; until then a reader
      // who listens for data would hear nothing. Whoever gets the answer may listen at once.
      process.nextTick(resolve, exactly);
    }
    function onReadable(): void {
      const bytes: unknown = socket.read(size);
      if (!Buffer.isBuffer(bytes)) {
        // It may have gone while nobody listened, and will not say so again.
        if (socket.destroyed || socket.readableEnded) onGone();
        return;
      }
      // At the end of the stream less may come than was asked for.
      finish(bytes.length === size ? { kind: 'bytes', bytes } : { kind: 'closed' });
    }
    function onGone(): void {
      finish({ kind: 'closed' });
    }
    function onAbort(): void {
      stopWaiting();
      // The reason of an abort is whatever its owner gave; callers expect exactly that.
      reject(patience.signal.reason as Error);
    }
  });
}
