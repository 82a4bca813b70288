/** A bare SMTP client for the world's own tests. It sends anything, right or wrong. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';

export type RawClient = {
  socket: Socket;
  send(text: string): void;
  /** Received bytes that `replies` has not taken yet. */
  received(): string;
  until(ready: (received: string) => boolean): Promise<void>;
  /** Takes `count` whole replies, lines joined by `\n`; fails when the other side closes before. */
  replies(count: number): Promise<string[]>;
  /** Resolves when the other side closes, with the remaining bytes and the kind of end. */
  closed(): Promise<{ text: string; how: 'fin' | 'rst' }>;
};

const finalLine = /^\d{3}(?: .*)?$/;

export async function rawClient(port: number, host: string): Promise<RawClient> {
  const socket = connect({ port, host, noDelay: true });
  const client = clientOver(socket, socket);
  await once(socket, 'connect');
  return client;
}

/** Turns the connection to TLS, after the go-ahead. */
export async function overTls(client: RawClient): Promise<{ client: RawClient; tls: TLSSocket }> {
  client.socket.removeAllListeners('data');
  const tls = connectTls({ socket: client.socket, rejectUnauthorized: false });
  await once(tls, 'secureConnect');
  return { client: clientOver(tls, client.socket), tls };
}

function clientOver(stream: Duplex, socket: Socket): RawClient {
  let received = '';
  let over: 'fin' | 'rst' | undefined;
  const waiting = new Set<() => void>();
  const wake = () => waiting.forEach((look) => look());
  stream.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    wake();
  });
  stream.on('error', () => (over = 'rst'));
  stream.on('close', () => {
    over ??= 'fin';
    wake();
  });
  const until = (ready: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (ready()) resolve();
        else if (over === undefined) return;
        else reject(new Error(`${over} after ${JSON.stringify(received.slice(0, 200))}`));
        waiting.delete(look);
      };
      waiting.add(look);
      look();
    });
  return {
    socket,
    send: (text) => stream.write(text),
    received: () => received,
    until: (ready) => until(() => ready(received)),
    async replies(count) {
      await until(() => wholeReplies(received).length >= count);
      const found = wholeReplies(received);
      received = '';
      return found;
    },
    async closed() {
      await until(() => over !== undefined);
      return { text: received, how: over ?? 'fin' };
    },
  };
}

function wholeReplies(text: string): string[] {
  const replies: string[] = [];
  let lines: string[] = [];
  for (const line of text.split(/\r?\n/).slice(0, -1)) {
    lines.push(line);
    if (!finalLine.test(line)) continue;
    replies.push(lines.join('\n'));
    lines = [];
  }
  return replies;
}
