/** Test support: a small SOCKS5 proxy on loopback (RFC 1928, RFC 1929), with tempers. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Login } from '../../src/routes/socks5.ts';

export type ProxyTemper = {
  login?: Login;
  /** Bytes sent at once on connection, instead of the protocol. */
  blurts?: Buffer;
  /** Stays silent, or hangs up, from this message on: 1 the greeting, 2 the login or the request … */
  silentFrom?: number;
  hangsUpFrom?: number;
  /** Answers every request with this code and makes no connection. */
  answers?: number;
  /** Names itself by a domain in the answer, so that its length differs. */
  namesItself?: string;
  /** Sends its answers byte by byte. */
  drips?: boolean;
  /** Says yes, sends this in the same packet, and makes no connection. */
  speaksFor?: string;
};

export type TestProxy = {
  port: number;
  /** Every request, as it came. */
  requests: Buffer[];
  logins: Login[];
  open: Set<Socket>;
  stop(): Promise<void>;
};

export async function startSocks5Proxy(temper: ProxyTemper = {}): Promise<TestProxy> {
  const open = new Set<Socket>();
  const seen = { requests: [] as Buffer[], logins: [] as Login[] };
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    serve(socket, temper, seen);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ...seen,
    open,
    async stop() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function serve(socket: Socket, temper: ProxyTemper, seen: Pick<TestProxy, 'requests' | 'logins'>): void {
  if (temper.blurts !== undefined) return void socket.resume().write(temper.blurts);
  let message = 0;
  let loggedIn = temper.login === undefined;
  const say = (bytes: Buffer) => {
    if (temper.drips !== true) return void socket.write(bytes);
    for (const byte of bytes) socket.write(Buffer.from([byte]));
  };
  socket.setNoDelay(true).on('data', (bytes) => {
    message += 1;
    if (message >= (temper.hangsUpFrom ?? Infinity)) return void socket.destroy();
    if (message >= (temper.silentFrom ?? Infinity)) return;
    if (message === 1) {
      say(Buffer.from([5, methodFor(bytes, temper)]));
      return;
    }
    if (loggedIn) {
      answerRequest(socket, { bytes, say }, { temper, seen });
      return;
    }
    const login = readLogin(bytes);
    seen.logins.push(login);
    loggedIn = login.username === temper.login?.username && login.password === temper.login.password;
    say(Buffer.from([1, loggedIn ? 0 : 1]));
  });
}

function methodFor(greeting: Buffer, { login }: ProxyTemper): number {
  const wanted = login === undefined ? 0 : 2;
  return greeting.subarray(2).includes(wanted) ? wanted : 0xff;
}

function readLogin(bytes: Buffer): Login {
  const nameEnd = 2 + (bytes[1] ?? 0);
  return { username: bytes.toString('utf8', 2, nameEnd), password: bytes.toString('utf8', nameEnd + 1) };
}

function answerRequest(
  socket: Socket,
  { bytes, say }: { bytes: Buffer; say: (bytes: Buffer) => void },
  { temper, seen }: { temper: ProxyTemper; seen: Pick<TestProxy, 'requests'> },
): void {
  seen.requests.push(bytes);
  const answer = (code: number, more = '') =>
    say(Buffer.concat([Buffer.from([5, code, 0]), nameOf(temper), Buffer.from(more)]));
  if (temper.answers !== undefined) {
    answer(temper.answers);
    return;
  }
  if (temper.speaksFor !== undefined) {
    answer(0, temper.speaksFor);
    return;
  }
  const [address, port] = destinationOf(bytes);
  const onward = connect({ host: address, port });
  onward
    .on('error', () => answer(5))
    .once('connect', () => {
      answer(0);
      socket.removeAllListeners('data').pipe(onward).pipe(socket);
    });
  socket.on('close', () => onward.destroy());
}

function nameOf({ namesItself }: ProxyTemper): Buffer {
  if (namesItself === undefined) return Buffer.from([1, 127, 0, 0, 1, 0, 0]);
  return Buffer.concat([Buffer.from([3, namesItself.length]), Buffer.from(namesItself), Buffer.from([0, 0])]);
}

function destinationOf(request: Buffer): [address: string, port: number] {
  const port = request.readUInt16BE(request.length - 2);
  if (request[3] === 1) return [request.subarray(4, 8).join('.'), port];
  const groups = Array.from({ length: 8 }, (_, index) => request.readUInt16BE(4 + 2 * index).toString(16));
  return [groups.join(':'), port];
}
