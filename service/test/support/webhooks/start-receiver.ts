import { createServer as createHttpServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ReceivedMessage } from './judge-signature.ts';

/** The behaviour of a receiver. */
export type Manner =
  | 'takes'
  | 'fails'
  | 'redirects'
  | 'gone'
  | 'busy'
  /** Reads the message and does not answer. */
  | 'hangs'
  /** Reads the message and closes the connection. */
  | 'closes'
  /** Acknowledges the message, begins to send more, and never ends. */
  | 'babbles';

export type Receiver = {
  port: number;
  messages: ReceivedMessage[];
  /** Connections so far. */
  readonly connections: number;
  /** Connections that are open now. */
  readonly open: number;
  /** By path of the request, or for all. */
  behave: (manner: Manner | ((path: string) => Manner)) => void;
  stop: () => Promise<void>;
};

type ReceiverOptions = {
  address?: string;
  port?: number;
  tls?: { key: string; cert: string };
  onMessage?: (message: ReceivedMessage & { path: string }) => void;
};

/** Starts an endpoint on loopback, as well or badly behaved as told. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const messages: ReceivedMessage[] = [];
  const sockets = new Set<Socket>();
  let manner: (path: string) => Manner = () => 'takes';
  let connections = 0;

  const answer: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers: all, url: path = '/' } = request;
      const headers = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
      const message = { headers, body: Buffer.concat(chunks).toString() };
      messages.push(message);
      options.onMessage?.({ ...message, path });
      respond(response, manner(path));
    });
  };
  const server =
    options.tls === undefined ? createHttpServer(answer) : createHttpsServer(options.tls, answer);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, options.address ?? '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    messages,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    behave: (next) => (manner = typeof next === 'string' ? () => next : next),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function respond(response: ServerResponse, manner: Manner): void {
  switch (manner) {
    case 'takes':
      response.writeHead(204).end();
      return;
    case 'fails':
      response.writeHead(500).end('no\u0000 such luck');
      return;
    case 'redirects':
      response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end();
      return;
    case 'gone':
      response.writeHead(410).end();
      return;
    case 'busy':
      response.writeHead(503, { 'retry-after': '7200' }).end();
      return;
    case 'hangs':
      return;
    case 'closes':
      response.destroy();
      return;
    case 'babbles':
      response.writeHead(200).write('x'.repeat(5_000));
      return;
  }
}
