import type { IncomingMessage, ServerResponse } from 'node:http';

/** What is read of a refused file, and for how long, before its connection is cut. */
const discardLimits = { bytes: 32_000_000, ms: 10_000 };

/**
 * Reads on after a file was refused, and throws away what comes. A browser sends its whole file before it looks at the
 * answer; where the connection is closed at once, what is under way meets a reset, which takes the answer with it
 * (RFC 9112 section 9.6), and all that its owner sees is a network error.
 */
export function discardUpload(
  message: IncomingMessage,
  response: ServerResponse,
  { bytes: most, ms } = discardLimits,
): void {
  response.once('finish', () => {
    let bytes = 0;
    const timer = setTimeout(() => message.destroy(), ms);
    timer.unref();
    message.once('close', () => clearTimeout(timer));
    message.once('end', () => clearTimeout(timer));
    // Where a form was being read, its reader has stopped and would hold the rest up.
    message.unpipe();
    message.on('error', () => undefined);
    message.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > most) message.destroy();
    });
    message.resume();
  });
}
