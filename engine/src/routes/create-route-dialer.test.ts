import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, Socket, type AddressInfo, type Server } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { systemClock, type Clock } from '../clock.ts';
import type { RouteSetting } from '../politeness/policy.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import type { DialerParts } from '../egress/create-dialer.ts';
import { parseCidr } from '../ip-address.ts';
import { createRouteDialer, type RouteDialOutcome } from './create-route-dialer.ts';
import { startSocks5Proxy, type ProxyTemper, type TestProxy } from '../../test/support/start-socks5-proxy.ts';

const host = canonicalHost('mx.example.com')!;
const banner = '220 mx.example.com\r\n';
const login = { username: 'postmaster', password: 'väldigt hemligt' };

let mailHost: Server;
let mailHostV6: Server;
let port = 0;
const peers: string[] = [];
before(async () => {
  const greet = (socket: Socket) => {
    peers.push(String(socket.remoteAddress));
    socket.on('error', () => undefined).end(banner);
  };
  mailHost = createServer(greet).listen(0, '127.0.0.1');
  await once(mailHost, 'listening');
  ({ port } = mailHost.address() as AddressInfo);
  mailHostV6 = createServer(greet).listen(port, '::1');
  await once(mailHostV6, 'listening');
});
after(() => [mailHost.close(), mailHostV6.close()]);

const started: { stop(): Promise<void> }[] = [];
const opened: Socket[] = [];
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  for (const server of started.splice(0)) await server.stop();
});

async function proxyThat(temper: ProxyTemper = {}): Promise<TestProxy> {
  const proxy = await startSocks5Proxy(temper);
  started.push(proxy);
  return proxy;
}

const through = (proxy: { port: number }, credentials?: typeof login): RouteSetting => ({
  id: 'proxied',
  kind: 'socks5',
  socks5: { host: '127.0.0.1', port: proxy.port, ...(credentials && { login: credentials }) },
});

function dialerFor(setting: RouteSetting, parts: Partial<DialerParts> = {}) {
  return createRouteDialer(setting, {
    port,
    clock: systemClock,
    limits: { connectMs: 10_000 },
    allow: ['127.0.0.0/8', '::1/128'].map((block) => parseCidr(block)!),
    ownAddresses: () => [],
    ...parts,
  });
}

function patience(ms = 30_000, signal = new AbortController().signal) {
  return { deadline: systemClock.now() + ms, signal };
}

function socketOf(outcome: RouteDialOutcome): Socket {
  assert.ok(outcome.kind === 'connected', JSON.stringify(outcome));
  opened.push(outcome.socket);
  return outcome.socket;
}

/** Reads everything at once as it comes: a direct route reads into a buffer that the next piece overwrites. */
async function heardFrom(socket: Socket): Promise<string> {
  let heard = '';
  socket.on('data', (bytes) => (heard += bytes.toString())).resume();
  await once(socket, 'end');
  return heard;
}

const dialThrough = (proxy: TestProxy, credentials?: typeof login) =>
  dialerFor(through(proxy, credentials)).dial({ host, address: '127.0.0.1' }, patience());

function problemOf(outcome: RouteDialOutcome): string {
  assert.ok(outcome.kind === 'failed' && outcome.why === 'route_down', JSON.stringify(outcome));
  return outcome.problem;
}

describe('a direct route', () => {
  it('leaves from the local address it names', async () => {
    const dialer = dialerFor({ id: 'second', kind: 'direct', localAddress: '127.0.0.7' });
    peers.length = 0;
    const socket = socketOf(await dialer.dial({ host, address: '127.0.0.1' }, patience()));
    assert.equal(await heardFrom(socket), banner);
    assert.deepEqual(peers, ['127.0.0.7']);
  });

  it('is down, and the mail host not to blame, if the local address is not of this machine', async () => {
    // TEST-NET-1 (RFC 5737) belongs to no network.
    const dialer = dialerFor({ id: 'lost', kind: 'direct', localAddress: '192.0.2.1' });
    const problem = problemOf(await dialer.dial({ host, address: '127.0.0.1' }, patience()));
    assert.match(problem, /cannot leave from 192\.0\.2\.1 \(EADDRNOTAVAIL\)/);
  });

  it('is judged again by what it reached', async () => {
    const allow = [parseCidr('127.0.0.0/8')!];
    const dialer = dialerFor({ id: 'default', kind: 'direct' }, { allow });
    const dialling = dialer.dial({ host, address: '127.0.0.1' }, patience());
    allow.length = 0;
    assert.deepEqual(await dialling, { kind: 'failed', why: 'forbidden' });
    assert.equal(dialer.counts.breaches, 1);
  });
});

describe('a route through a SOCKS5 proxy', () => {
  for (const [address, atyp, bytes] of [
    ['127.0.0.1', 1, '7f000001'],
    ['::1', 4, '00000000000000000000000000000001'],
  ] as const) {
    it(`asks for ${address} as an IP literal and hands on every byte of the mail host`, async () => {
      const proxy = await proxyThat();
      const dialer = dialerFor(through(proxy));
      const socket = socketOf(await dialer.dial({ host, address }, patience()));
      while (socket.readableLength === 0) await turn();
      assert.equal(socket.readableFlowing, null);
      assert.equal(await text(socket), banner);
      const wire = `050100${atyp.toString(16).padStart(2, '0')}${bytes}${port.toString(16).padStart(4, '0')}`;
      assert.deepEqual(
        proxy.requests.map((request) => request.toString('hex')),
        [wire],
      );
    });
  }

  it('never names a host to the proxy, and judges before it connects to the proxy', async () => {
    const proxy = await proxyThat();
    const dialer = dialerFor(through(proxy), { allow: [] });
    for (const address of ['127.0.0.1', '::1', '10.0.0.1', 'mx.example.com', '']) {
      const outcome = await dialer.dial({ host, address }, patience());
      assert.deepEqual(outcome, { kind: 'failed', why: 'forbidden' });
    }
    assert.equal(dialer.counts.dialled, 0);
    // The proxy's own address, loopback here, is the operator's choice: nothing needs to allow it.
    await dialer.dial({ host, address: '8.8.8.8' }, patience(0));
    const outcome = await dialerFor(through(await proxyThat({ answers: 4 })), { allow: [] }).dial(
      { host, address: '198.41.0.4' },
      patience(),
    );
    assert.deepEqual(outcome, { kind: 'failed', why: 'unreachable' });
    assert.deepEqual([proxy.requests.length, proxy.open.size], [0, 0]);
  });

  for (const temper of [
    { speaksFor: banner },
    { speaksFor: banner, namesItself: 'proxy.example' },
    { speaksFor: banner, namesItself: '' },
    { speaksFor: banner, namesItself: 'x'.repeat(255), drips: true },
  ]) {
    it(`keeps what comes in one breath with the answer: ${JSON.stringify(temper)}`, async () => {
      const proxy = await proxyThat(temper);
      const socket = socketOf(await dialThrough(proxy));
      // A reader that only listens for data, at once, as a conversation does.
      let heard = '';
      await new Promise<void>((resolve) => {
        socket.on('data', (chunk: Buffer) => {
          heard += chunk.toString();
          if (heard.length >= banner.length) resolve();
        });
      });
      assert.equal(heard, banner);
    });
  }

  it('logs in where the proxy wants it, in UTF-8', async () => {
    const proxy = await proxyThat({ login });
    assert.equal(await text(socketOf(await dialThrough(proxy, login))), banner);
    assert.deepEqual(proxy.logins, [login]);
  });

  it('sends no login to a proxy that wants none', async () => {
    const proxy = await proxyThat();
    assert.equal(await text(socketOf(await dialThrough(proxy, login))), banner);
    assert.deepEqual(proxy.logins, []);
  });

  it('cannot be made with a login that RFC 1929 does not carry', () => {
    const tooLong = { username: 'x', password: 'ä'.repeat(128) };
    assert.throws(() => dialerFor(through({ port: 1 }, tooLong)), /1 to 255 bytes/);
    assert.throws(() => dialerFor(through({ port: 1 }, { username: '', password: 'x' })), /1 to 255 bytes/);
  });
});

describe('a proxy that fails is the route’s trouble, never the mail host’s', () => {
  const cases: [string, ProxyTemper, typeof login | undefined, RegExp][] = [
    ['hangs up at once', { hangsUpFrom: 1 }, undefined, /does not answer \(closed\)/],
    ['hangs up at the request', { hangsUpFrom: 2 }, undefined, /hangs up/],
    ['hangs up at the login', { login, hangsUpFrom: 2 }, login, /to the login \(closed\)/],
    ['speaks HTTP', { blurts: Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n') }, undefined, /SOCKS5/],
    ['speaks SOCKS4', { blurts: Buffer.from([0, 90, 0, 0, 0, 0, 0, 0]) }, undefined, /SOCKS5/],
    ['wants a login', { login }, undefined, /wants a login/],
    ['wants what was not offered', { blurts: Buffer.from([5, 2]) }, undefined, /never offered/],
    ['refuses the login', { login }, { ...login, password: 'wrong' }, /refuses the user name/],
    ['does not allow it', { answers: 2 }, undefined, /does not allow/],
    ['has no CONNECT', { answers: 7 }, undefined, /code 7/],
    ['answers nonsense', { blurts: Buffer.from([5, 0, 4, 0, 0, 0, 0, 0]) }, undefined, /SOCKS5/],
    ['names an address of no kind', { blurts: Buffer.from([5, 0, 5, 0, 0, 9, 9]) }, undefined, /no known/],
  ];
  for (const [what, temper, credentials, expected] of cases) {
    it(what, async () => {
      const proxy = await proxyThat(temper);
      const problem = problemOf(await dialThrough(proxy, credentials));
      assert.match(problem, expected);
      assert.match(problem, new RegExp(`^the proxy 127\\.0\\.0\\.1 port ${proxy.port} `));
      assert.ok(!problem.includes(login.password) && !problem.includes('wrong'), problem);
      while (proxy.open.size > 0) await turn();
    });
  }

  it('does not listen', async () => {
    const proxy = await startSocks5Proxy();
    await proxy.stop();
    assert.match(problemOf(await dialThrough(proxy)), /gives no connection \(refused\)/);
  });
});

describe('a mail host that the proxy cannot reach', () => {
  for (const [code, why] of [
    [1, 'unreachable'],
    [3, 'unreachable'],
    [4, 'unreachable'],
    [5, 'refused'],
    [6, 'timeout'],
    [8, 'unreachable'],
  ] as const) {
    it(`reads code ${code} as ${why}`, async () => {
      const proxy = await proxyThat({ answers: code });
      assert.deepEqual(await dialThrough(proxy), { kind: 'failed', why });
      while (proxy.open.size > 0) await turn();
    });
  }
});

describe('a proxy that is silent', () => {
  for (const [silentFrom, why] of [
    [1, 'route_down'],
    [2, 'timeout'],
  ] as const) {
    it(`from message ${silentFrom} on costs no more than the time to connect, and is left (${why})`, async () => {
      const proxy = await proxyThat({ silentFrom });
      const dialer = dialerFor(through(proxy), { limits: { connectMs: 200 } });
      const start = systemClock.now();
      const outcome = await dialer.dial({ host, address: '127.0.0.1' }, patience(60_000));
      const took = systemClock.now() - start;
      assert.ok(outcome.kind === 'failed' && outcome.why === why, JSON.stringify(outcome));
      assert.ok(took >= 190 && took < 10_000, String(took));
      while (proxy.open.size > 0) await turn();
    });

    it(`from message ${silentFrom} on is given up on an abort, with its reason`, async () => {
      const proxy = await proxyThat({ silentFrom });
      const controller = new AbortController();
      const reason = new Error('the caller has gone');
      const dialling = dialerFor(through(proxy)).dial(
        { host, address: '127.0.0.1' },
        patience(60_000, controller.signal),
      );
      while (proxy.open.size === 0) await turn();
      for (let turns = 0; turns < 20; turns += 1) await turn();
      controller.abort(reason);
      await assert.rejects(dialling, reason);
      while (proxy.open.size > 0) await turn();
    });
  }

  it('has one deadline for all its answers together', async () => {
    const waits: number[] = [];
    let now = 1_000;
    // Every look at the clock takes 10 ms, and no timer ever fires.
    const clock: Clock = {
      now: () => (now += 10),
      after: (ms) => {
        waits.push(now + ms);
        return () => undefined;
      },
    };
    const proxy = await proxyThat({ login, speaksFor: banner });
    const dialer = dialerFor(through(proxy, login), { clock, limits: { connectMs: 8_000 } });
    socketOf(
      await dialer.dial({ host, address: '127.0.0.1' }, { deadline: Infinity, signal: patience().signal }),
    );
    assert.ok(waits.length >= 4, String(waits.length));
    assert.deepEqual([...new Set(waits)], [9_010]);
  });
});

it('a connected route leaves neither a timer nor a listener behind', async () => {
  const pending = new Set<() => void>();
  const clock: Clock = {
    now: () => systemClock.now(),
    after: (_, callback) => {
      pending.add(callback);
      return () => pending.delete(callback);
    },
  };
  const controller = new AbortController();
  const { signal } = controller;
  const proxy = await proxyThat({ login, speaksFor: banner });
  const dialer = dialerFor(through(proxy, login), { clock });
  const socket = socketOf(await dialer.dial({ host, address: '127.0.0.1' }, { deadline: Infinity, signal }));
  assert.equal(pending.size, 0);
  const fresh = new Socket();
  for (const name of ['readable', 'end', 'connect', 'timeout', 'close', 'data']) {
    assert.equal(socket.listenerCount(name), fresh.listenerCount(name), name);
  }
  // An abort now has no effect here: the socket has a new owner.
  controller.abort(new Error('late'));
  await turn();
  assert.ok(!socket.destroyed);
});
