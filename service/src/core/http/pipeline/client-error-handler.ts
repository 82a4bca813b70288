import type { Socket } from 'node:net';
import type { ErrorReason } from '@mailproof/client';
import { statusOf } from '../schemas/errors.ts';
import { errorBody } from './refuse.ts';

/**
 * Answers what never became a request: bytes that are no HTTP, a header too large, a client too slow. The
 * connection is closed, because where the next request would begin is not known any more.
 */
export function createClientErrorHandler(newRequestId: () => string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    // A client that hung up, or one that has its answer already, is not told anything.
    if (error.code === 'ECONNRESET' || !socket.writable || (socket.bytesWritten > 0 && isTimeout(error))) {
      socket.destroy();
      return;
    }
    socket.end(rawAnswer(clientErrorReason(error), newRequestId()), () => socket.destroy());
  };
}

function clientErrorReason(error: { code?: string }): ErrorReason {
  if (isTimeout(error)) return 'request_timeout';
  return error.code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'bad_request';
}

function isTimeout(error: { code?: string }): boolean {
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
}

const phrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function rawAnswer(reason: ErrorReason, requestId: string): string {
  const body = errorBody(reason);
  const status = statusOf[reason];
  return [
    `HTTP/1.1 ${status} ${phrases[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Credits-Used: 0',
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
