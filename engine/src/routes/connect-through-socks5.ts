import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Patience } from '../patience.ts';
import { connectSocket, type Unconnected } from '../egress/connect-socket.ts';
import type { Reached } from '../egress/create-guarded-dialer.ts';
import { readExactly, type Exactly } from './read-exactly.ts';
import {
  connectAnswerHeadBytes,
  connectAnswerTailBytes,
  encodeConnect,
  encodeGreeting,
  encodeLogin,
  greetingAnswerBytes,
  isLoginTaken,
  loginAnswerBytes,
  readConnectAnswer,
  readGreetingAnswer,
  type Login,
} from './socks5-messages.ts';

/**
 * One TCP connection to a mail host through a SOCKS5 proxy (RFC 1928), until the deadline.
 *
 * It runs: connect to the proxy → say how we can log in → log in, where the proxy wants it (RFC 1929) → ask
 * for the mail host → the socket is the mail host's. The proxy's own address is the operator's choice and no
 * guard judges it. The mail host's address has been judged before; whether the proxy connects to that place
 * cannot be seen from here.
 *
 * A failure of the proxy itself is the route's (`route_down`) and never the mail host's. Limitation: a proxy
 * that says yes before it has connected (OpenSSH does) shows an unreachable mail host as one that hangs up.
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
 * RFC 1928 section 6. The general failure (1) is what most proxies say of any host they cannot reach. An
 * address type that is not supported (8) is IPv6, as a rule; the proxy's IPv4 is none the worse for it.
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

/** The problem in words for the operator. Never with the login. */
function down({ host, port }: Socks5Proxy, what: string): RouteDown {
  return { kind: 'failed', why: 'route_down', problem: `the proxy ${host} port ${port} ${what}` };
}
