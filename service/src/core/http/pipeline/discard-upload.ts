import type { IncomingMessage, ServerResponse } from 'node:http';

/** How much of a refused file is read, and for how long, before its connection is cut. */
const discardLimits = { bytes: 32_000_000, ms: 10_000 };

/**
 * Reads on after a file was refused, and discards the rest. A browser sends its whole file before it reads the
 * answer. If the connection is closed at once, the data under way meets a reset, which also destroys the answer
 * (RFC 9112 section 9.6). The user would only see a network error.
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
    // If a form was being read, its reader has stopped and would block the rest.
    message.unpipe();
    message.on('error', () => undefined);
    message.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > most) message.destroy();
    });
    message.resume();
  });
}
