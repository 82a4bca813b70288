/**
 * One DNS question over one TCP connection (RFC 1035 section 4.2.2): two bytes of length, then the
 * message. The length has 16 bits, so an answer cannot pass 64 KiB whatever the server does.
 */
import { connect } from 'node:net';
import type { DnsServer } from './question.ts';

const LENGTH_BYTES = 2;
const MAX_MESSAGE_BYTES = 0xffff;

/** Gives the server's message, or nothing if the connection or the signal ended before it was whole. */
export function askOverTcp(
  server: DnsServer,
  query: Buffer,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const inbox = Buffer.alloc(LENGTH_BYTES + MAX_MESSAGE_BYTES);
    let filled = 0;
    const socket = connect({ host: server.ip, port: server.port, noDelay: true });
    const finish = (message: Buffer | undefined) => {
      signal.removeEventListener('abort', giveUp);
      socket.destroy();
      resolve(message);
    };
    const giveUp = () => finish(undefined);
    signal.addEventListener('abort', giveUp, { once: true });
    socket.on('error', giveUp);
    socket.on('close', giveUp);
    socket.on('connect', () => socket.write(withLength(query)));
    socket.on('data', (chunk) => {
      filled += chunk.copy(inbox, filled);
      const message = wholeMessage(inbox.subarray(0, filled));
      if (message !== undefined) finish(message);
    });
    if (signal.aborted) giveUp();
  });
}

function withLength(query: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(query.length);
  return Buffer.concat([length, query]);
}

function wholeMessage(received: Buffer): Buffer | undefined {
  if (received.length < LENGTH_BYTES) return undefined;
  const end = LENGTH_BYTES + received.readUInt16BE(0);
  return received.length < end ? undefined : received.subarray(LENGTH_BYTES, end);
}
