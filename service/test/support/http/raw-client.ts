import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection whose bytes the test writes itself, to send what no HTTP client would. */
type RawConnection = {
  socket: Socket;
  write(bytes: string | Buffer): void;
  /** Waits until the server closes the connection, and returns everything received. */
  untilClosed(): Promise<string>;
  /** Waits until `text` is received, and returns everything received. */
  until(text: string): Promise<string>;
};

const patienceMs = 20_000;

/** Opens a connection. `from`: the loopback address of the client. */
export async function openRaw(port: number, from = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  await once(socket, 'connect');
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  // A server that closes while we still write resets the connection; its earlier bytes count.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));

  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    untilClosed: async () => {
      await within(closed, 'the connection to close', () => received);
      return received;
    },
    until: async (text) => {
      while (!received.includes(text)) {
        const more = Promise.race([new Promise((resolve) => socket.once('data', resolve)), closed]);
        await within(more, JSON.stringify(text), () => received);
        if (socket.destroyed && !received.includes(text))
          throw new Error(`closed before ${text}: ${received}`);
      }
      return received;
    },
  };
}

async function within(event: Promise<unknown>, what: string, received: () => string): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`waited in vain for ${what}; got ${received()}`)),
    patienceMs,
  );
  try {
    await Promise.race([event, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the statuses of the received responses, in order. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}
