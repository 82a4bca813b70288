import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { after, afterEach, it } from 'node:test';
import { systemClock, type Clock } from '../clock.ts';
import { defaultLimits } from '../limits.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import { createDialer } from '../egress/create-dialer.ts';
import { parseCidr } from '../ip-address.ts';
import { startCanaries, type CanariesParts } from './start-canaries.ts';
import type { DialNews } from './watch-mail-port.ts';

const hosts = ['one.example', 'two.example', 'three.example'].map((name) => canonicalHost(name)!);

const cleanUp: (() => void)[] = [];
const leave = () => {
  for (const undo of cleanUp.splice(0)) undo();
};
afterEach(leave);
after(leave);

async function mailHostThat(speak: (socket: Socket) => void): Promise<{ port: number; open: Set<Socket> }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)));
    speak(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, open };
}

/** Rounds as they come in, and the waits between them, which end when they are told to. */
function listenIn() {
  const rounds: (readonly DialNews[])[] = [];
  const waits: { ms: number; end: () => void; cancelled: boolean }[] = [];
  let wake: () => void = () => undefined;
  const clock: Clock = {
    now: () => systemClock.now(),
    after(ms, callback) {
      if (ms !== defaultLimits.canaryEveryMs) return systemClock.after(ms, callback);
      const wait = { ms, end: callback, cancelled: false };
      waits.push(wait);
      wake();
      return () => (wait.cancelled = true);
    },
  };
  const waiting = async (count: number) => {
    while (waits.length < count) await new Promise<void>((resolve) => (wake = resolve));
    return waits[count - 1]!;
  };
  return {
    rounds,
    clock,
    waiting,
    watch: { noteCanaries: (news: readonly DialNews[]) => rounds.push(news) },
  };
}

function start(port: number, ear: ReturnType<typeof listenIn>, more: Partial<CanariesParts> = {}) {
  const limits = { ...defaultLimits, bannerMs: 300, quitMs: 300 };
  const { clock } = ear;
  const allow = [parseCidr('127.0.0.0/8')!];
  const dialer = createDialer({ port, clock, limits, allow, ownAddresses: () => [] });
  const problems: string[] = [];
  const canaries = startCanaries({
    hosts,
    clock,
    limits,
    dial: (target, patience) => dialer.dial(target, patience),
    findAddresses: (host) => Promise.resolve([`127.0.0.${1 + hosts.indexOf(host)}`].slice(0)),
    findOwnHosts: () => Promise.resolve([]),
    watch: ear.watch,
    onProblem: (line) => problems.push(line),
    ...more,
  });
  cleanUp.push(() => canaries.stop());
  return { canaries, dialer, problems };
}

const oneAddress = { findAddresses: () => Promise.resolve(['127.0.0.1']) };

it('canaries are greeted and left with QUIT, at the start and every ten minutes', async () => {
  const said: string[] = [];
  const { port, open } = await mailHostThat((socket) => {
    socket.write('220 mx.example ready\r\n');
    socket.on('data', (bytes) => {
      said.push(bytes.toString());
      socket.end('221 bye\r\n');
    });
  });
  const ear = listenIn();
  start(port, ear, oneAddress);
  const wait = await ear.waiting(1);
  assert.deepEqual(ear.rounds, [['connected', 'connected', 'connected']]);
  wait.end();
  await ear.waiting(2);
  assert.equal(ear.rounds.length, 2);
  assert.deepEqual(said, Array<string>(6).fill('QUIT\r\n'));
  for (const socket of open) if (!socket.destroyed) await once(socket, 'close');
});

it('a mail host that turns us away with its banner is reached all the same', async () => {
  const { port } = await mailHostThat((socket) => socket.end('554 no service\r\n'));
  const ear = listenIn();
  start(port, ear, oneAddress);
  await ear.waiting(1);
  assert.deepEqual(ear.rounds, [['connected', 'connected', 'connected']]);
});

it('a connection without a banner is none', async () => {
  const tempers = [(socket: Socket) => socket.resume(), (socket: Socket) => socket.end()];
  for (const [index, speak] of tempers.entries()) {
    const { port } = await mailHostThat(speak);
    const ear = listenIn();
    start(port, ear, oneAddress);
    await ear.waiting(1);
    assert.deepEqual(ear.rounds, [Array(3).fill(index === 0 ? 'timeout' : 'hung_up')]);
  }
});

it('a canary without an address, a forbidden one and a route that is down are no news', async () => {
  const ear = listenIn();
  let asked = 0;
  start(1, ear, {
    findAddresses: (host) => Promise.resolve(host === hosts[0] ? [] : ['192.0.2.1']),
    dial: () =>
      Promise.resolve(
        (asked += 1) === 1
          ? { kind: 'failed', why: 'forbidden' }
          : { kind: 'failed', why: 'route_down', problem: 'gone' },
      ),
  });
  await ear.waiting(1);
  assert.deepEqual([ear.rounds, asked], [[[]], 2]);
});

it('a round that fails for our own sake is told, and the next one comes', async () => {
  const ear = listenIn();
  const { problems } = start(1, ear, { dial: () => Promise.reject(new Error('EMFILE')) });
  await ear.waiting(1);
  assert.deepEqual([ear.rounds, problems], [[], ['the canaries could not be asked: Error: EMFILE']]);
});

it('stopping ends the round under way and every later one', async () => {
  const { port, open } = await mailHostThat(() => undefined);
  const ear = listenIn();
  const arrived = new Promise<void>((resolve) => {
    const { canaries, problems } = start(port, ear, {
      ...oneAddress,
      hosts: hosts.slice(0, 1),
      limits: defaultLimits,
      dial: async (target, patience) => {
        const dialer = createDialer({
          port,
          clock: ear.clock,
          limits: defaultLimits,
          allow: [parseCidr('127.0.0.0/8')!],
          ownAddresses: () => [],
        });
        const outcome = await dialer.dial(target, patience);
        setImmediate(() => {
          canaries.stop();
          assert.deepEqual(problems, []);
          resolve();
        });
        return outcome;
      },
    });
  });
  await arrived;
  for (const socket of open) await new Promise((resolve) => socket.resume().on('close', resolve));
  assert.deepEqual(ear.rounds, []);

  const quiet = listenIn();
  const { canaries } = start(1, quiet, { findAddresses: () => Promise.resolve([]) });
  const wait = await quiet.waiting(1);
  canaries.stop();
  assert.ok(wait.cancelled);
});

it('without canaries no host is asked, until the watch wants to make sure: then the mail hosts of our own domain', async () => {
  const { port } = await mailHostThat((socket) => socket.end('220 mx.example ready\r\n'));
  const ear = listenIn();
  const { dialer, canaries } = start(port, ear, {
    ...oneAddress,
    hosts: [],
    findOwnHosts: () => Promise.resolve(hosts.slice(0, 2)),
  });
  assert.equal(dialer.counts.dialled, 0);
  assert.deepEqual(await canaries.ask(), ['connected', 'connected']);
  assert.deepEqual(ear.rounds, [], 'the caller may do with it as it likes');
});

it('if there are canaries, the watch asks them to make sure', async () => {
  const { port } = await mailHostThat((socket) => socket.end('220 mx.example ready\r\n'));
  const ear = listenIn();
  const { canaries } = start(port, ear, {
    ...oneAddress,
    findOwnHosts: () => Promise.reject(new Error('nobody asked for them')),
  });
  assert.deepEqual(await canaries.ask(), ['connected', 'connected', 'connected']);
  await ear.waiting(1);
});
