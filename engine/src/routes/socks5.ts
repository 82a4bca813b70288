import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import { connectSocket, type Unconnected, type Reached } from '../egress/create-dialer.ts';
import { parseIp, type Ip } from '../ip-address.ts';
import type { Patience } from '../patience.ts';

/**
 * Opens one TCP connection to a mail host through a SOCKS5 proxy (RFC 1928), until the deadline.
 *
 * 1. connect to the proxy
 * 2. say how we can log in
 * 3. log in, if the proxy wants it (RFC 1929)
 * 4. ask for the mail host; from then on the socket is the mail host's
 *
 * The proxy's own address is the operator's choice and no guard judges it. The mail host's address has been judged
 * before; whether the proxy connects to that place cannot be seen from here.
 *
 * A failure of the proxy itself is the route's (`route_down`) and never the mail host's. Limitation: a proxy that
 * says yes before it has connected (OpenSSH does) shows an unreachable mail host as one that hangs up.
 */
type Socks5Proxy = { host: string; port: number; login?: Login };

export type RouteDown = { kind: 'failed'; why: 'route_down'; problem: string };

export type Proxied = Reached | Unconnected | RouteDown;

type SocksWait = { clock: Clock; patience: Patience };

export async function connectThroughSocks5(
  place: { address: string; port: number },
  proxy: Socks5Proxy,
  waiting: SocksWait,
): Promise<Proxied> {
  const connected = await connectSocket({ address: proxy.host, port: proxy.port, ...waiting });
  if (connected.kind === 'failed') return down(proxy, `gives no connection (${connected.why})`);
  const { socket } = connected;
  try {
    const failure =
      (await introduce(socket, proxy, waiting)) ?? (await request(socket, { place, proxy }, waiting));
    if (failure === undefined) return connected;
    socket.destroy();
    return failure;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function introduce(
  socket: Socket,
  proxy: Socks5Proxy,
  waiting: SocksWait,
): Promise<RouteDown | undefined> {
  socket.write(encodeGreeting(proxy.login));
  const heard = await readExactly(socket, greetingAnswerBytes, waiting);
  if (heard.kind !== 'bytes') return down(proxy, `does not answer (${heard.kind})`);
  switch (readGreetingAnswer(heard.bytes)) {
    case 'no_login':
      return undefined;
    case 'login':
      return proxy.login === undefined
        ? down(proxy, 'wants a login that we never offered')
        : await logIn(socket, { proxy, login: proxy.login }, waiting);
    case 'no_method':
      return down(proxy, proxy.login === undefined ? 'wants a login' : 'wants another way to log in');
    case 'no_socks5':
      return down(proxy, 'does not speak SOCKS5');
  }
}

async function logIn(
  socket: Socket,
  { proxy, login }: { proxy: Socks5Proxy; login: Login },
  waiting: SocksWait,
): Promise<RouteDown | undefined> {
  socket.write(encodeLogin(login));
  const heard = await readExactly(socket, loginAnswerBytes, waiting);
  if (heard.kind !== 'bytes') return down(proxy, `does not answer to the login (${heard.kind})`);
  return isLoginTaken(heard.bytes) ? undefined : down(proxy, 'refuses the user name or the password');
}

async function request(
  socket: Socket,
  { place, proxy }: { place: { address: string; port: number }; proxy: Socks5Proxy },
  waiting: SocksWait,
): Promise<Unconnected | RouteDown | undefined> {
  socket.write(encodeConnect(place));
  const head = await readExactly(socket, connectAnswerHeadBytes, waiting);
  if (head.kind !== 'bytes') return unanswered(head, proxy);
  const code = readConnectAnswer(head.bytes);
  if (code === undefined) return down(proxy, 'does not speak SOCKS5');
  if (code !== 0) return readFailure(code, proxy);
  const tailBytes = connectAnswerTailBytes(head.bytes);
  if (tailBytes === undefined) return down(proxy, 'answers with an address of no known kind');
  const tail = await readExactly(socket, tailBytes, waiting);
  return tail.kind === 'bytes' ? undefined : unanswered(tail, proxy);
}

/** A proxy that took the request and is silent waits for the mail host; one that hangs up failed itself. */
function unanswered(heard: Exclude<Exactly, { kind: 'bytes' }>, proxy: Socks5Proxy): Unconnected | RouteDown {
  return heard.kind === 'timeout'
    ? { kind: 'failed', why: 'timeout' }
    : down(proxy, 'hangs up instead of answering');
}

/**
 * Reads a failure (RFC 1928 section 6). Most proxies give the general failure (1) for any host they cannot reach. An
 * address type that is not supported (8) is IPv6, as a rule; the proxy's IPv4 may still work.
 */
function readFailure(code: number, proxy: Socks5Proxy): Unconnected | RouteDown {
  switch (code) {
    case 1:
    case 3:
    case 4:
    case 8:
      return { kind: 'failed', why: 'unreachable' };
    case 5:
      return { kind: 'failed', why: 'refused' };
    case 6:
      return { kind: 'failed', why: 'timeout' };
    case 2:
      return down(proxy, 'does not allow connections to mail hosts');
  }
  return down(proxy, `fails with code ${code}`);
}

/** Returns the problem in words for the operator, never with the login. */
function down({ host, port }: Socks5Proxy, what: string): RouteDown {
  return { kind: 'failed', why: 'route_down', problem: `the proxy ${host} port ${port} ${what}` };
}

/**
 * The bytes of SOCKS5, as far as a client needs them to ask for one TCP connection (RFC 1928) and to name itself
 * (RFC 1929). Destinations are IP literals alone: the domain form of an address (ATYP 3) cannot be written here, so
 * a proxy never resolves a name for us. It is read, since a proxy may answer with it.
 */

export type Login = { username: string; password: string };

const version = 5;
const noLogin = 0;
const byLogin = 2;

/** Writes the greeting (RFC 1928 section 3): the ways of logging in that we know. */
function encodeGreeting(login: Login | undefined): Buffer {
  const methods = login === undefined ? [noLogin] : [noLogin, byLogin];
  return Buffer.from([version, methods.length, ...methods]);
}

const greetingAnswerBytes = 2;

function readGreetingAnswer(bytes: Buffer): 'no_login' | 'login' | 'no_method' | 'no_socks5' {
  if (bytes[0] !== version) return 'no_socks5';
  if (bytes[1] === noLogin) return 'no_login';
  return bytes[1] === byLogin ? 'login' : 'no_method';
}

/** Writes the login (RFC 1929 section 2). Each part has a length of one byte, from 1 to 255. */
function encodeLogin({ username, password }: Login): Buffer {
  const [name, secret] = [Buffer.from(username), Buffer.from(password)];
  return Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([secret.length]), secret]);
}

/** Whether RFC 1929 can carry the login at all. */
export function isLoginCarried({ username, password }: Login): boolean {
  return [username, password].every((text) => text !== '' && Buffer.byteLength(text) <= 255);
}

const loginAnswerBytes = 2;

/** Whether the login was accepted (RFC 1929 section 2): anything but 0 is a refusal. */
function isLoginTaken(bytes: Buffer): boolean {
  return bytes[1] === 0;
}

/** Writes CONNECT to an IP address and a port (RFC 1928 section 4). */
function encodeConnect({ address, port }: { address: string; port: number }): Buffer {
  const ip = parseIp(address);
  if (ip === undefined) throw new Error(`a proxy was about to be asked for the name ${address}`);
  const head = Buffer.from([version, 1, 0, ip.family === 4 ? 1 : 4]);
  const tail = Buffer.alloc(2);
  tail.writeUInt16BE(port);
  return Buffer.concat([head, ipBytes(ip), tail]);
}

function ipBytes({ family, value }: Ip): Buffer {
  return Buffer.from(value.toString(16).padStart(family === 4 ? 8 : 32, '0'), 'hex');
}

/** VER REP RSV ATYP and the first byte of the address, which tells the length of the rest. */
const connectAnswerHeadBytes = 5;

/** Returns how many bytes follow the head: the rest of BND.ADDR and BND.PORT. At most 257. */
function connectAnswerTailBytes(head: Buffer): number | undefined {
  const portBytes = 2;
  const [, , , type, first = 0] = head;
  if (type === 1) return 3 + portBytes;
  if (type === 4) return 15 + portBytes;
  return type === 3 ? first + portBytes : undefined;
}

/** Returns REP (RFC 1928 section 6); `undefined` if this is no answer of SOCKS5. */
function readConnectAnswer(head: Buffer): number | undefined {
  return head[0] === version ? head[1] : undefined;
}

/**
 * Exactly `size` bytes (at least one) from a socket. Later bytes stay in the socket's own buffer for the next
 * reader, and that buffer has a maximum of its own. An abort rejects with its reason.
 */
type Exactly = { kind: 'bytes'; bytes: Buffer } | { kind: 'timeout' } | { kind: 'closed' };

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
      // The socket learns in the next tick that no listener waits for `readable` any more; until then a reader
      // that listens for data would hear nothing. The caller may listen as soon as it has the answer.
      process.nextTick(resolve, exactly);
    }
    function onReadable(): void {
      const bytes: unknown = socket.read(size);
      if (!Buffer.isBuffer(bytes)) {
        // The socket may have closed before there was a listener, and will not say so again.
        if (socket.destroyed || socket.readableEnded) onGone();
        return;
      }
      // At the end of the stream fewer bytes may come than were asked for.
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
