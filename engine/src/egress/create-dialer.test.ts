import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { systemClock, type Clock } from '../clock.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import { createDialer, type Dialer, type DialerParts } from './create-dialer.ts';
import { parseCidr, type Cidr } from '../ip-address.ts';

const host = canonicalHost('mx.example.com')!;
const loopback: Cidr[] = ['127.0.0.0/8', '::1/128'].map((text) => parseCidr(text)!);

function dialerTo(port: number, parts: Partial<DialerParts> = {}): Dialer {
  const limits = { connectMs: 5_000 };
  return createDialer({
    port,
    clock: systemClock,
    limits,
    allow: loopback,
    ownAddresses: () => [],
    ...parts,
  });
}

function patience(ms = 10_000, signal = new AbortController().signal) {
  return { deadline: systemClock.now() + ms, signal };
}

async function listen(address: string, onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onConnection).listen(0, address);
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

function socketOf(outcome: Awaited<ReturnType<Dialer['dial']>>): Socket {
  assert.ok(outcome.kind === 'connected', JSON.stringify(outcome));
  opened.push(outcome.socket);
  return outcome.socket;
}

// A failed promise must show as a failure and not as a test that never ends on an open socket.
const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

describe('a mail host that answers', () => {
  let server: Server;
  let connections = 0;
  before(async () => {
    server = await listen('127.0.0.1', (socket) => {
      connections += 1;
      socket.on('error', () => undefined).end('220 mx.example.com\r\n');
    });
  });
  after(() => server.close());

  for (const address of ['127.0.0.1', '::ffff:127.0.0.1']) {
    it(`is connected to at ${address} if its block is allowed, and loses no byte to a late reader`, async () => {
      const dialer = dialerTo(portOf(server));
      const socket = socketOf(await dialer.dial({ host, address }, patience()));
      // The banner has long arrived when the reader comes; it must still be there.
      while (socket.readableLength === 0) await turn();
      assert.equal(socket.readableFlowing, null);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      assert.equal(Buffer.concat(chunks).toString(), '220 mx.example.com\r\n');
      assert.deepEqual(dialer.counts, { dialled: 1, forbidden: 0, breaches: 0 });
    });
  }

  it('sees no packet if its address is forbidden', async () => {
    const dialer = dialerTo(portOf(server), { allow: [] });
    const seen = connections;
    const addresses = [
      '127.0.0.1',
      '::ffff:127.0.0.1',
      '0.0.0.0',
      '::',
      '::1',
      'localhost',
      '127.0.0.1%lo',
      '',
    ];
    for (const address of addresses) {
      const outcome = await dialer.dial({ host, address }, patience());
      assert.deepEqual(outcome, { kind: 'failed', why: 'forbidden' }, address);
    }
    assert.deepEqual(dialer.counts, { dialled: 0, forbidden: addresses.length, breaches: 0 });
    // A connection of our own, accepted after those would have been, shows that none came.
    const witness = connect(portOf(server), '127.0.0.1').resume();
    await once(witness, 'close');
    assert.equal(connections, seen + 1);
  });

  it('is left at once if the connected address proves forbidden', async () => {
    const allow = [...loopback];
    const dialer = dialerTo(portOf(server), { allow });
    const dialling = dialer.dial({ host, address: '127.0.0.1' }, patience());
    allow.length = 0;
    assert.deepEqual(await dialling, { kind: 'failed', why: 'forbidden' });
    assert.deepEqual(dialer.counts, { dialled: 1, forbidden: 0, breaches: 1 });
  });

  it('is not dialled after the deadline or for an aborted caller', async () => {
    const dialer = dialerTo(portOf(server));
    const target = { host, address: '127.0.0.1' };
    assert.deepEqual(await dialer.dial(target, patience(0)), { kind: 'failed', why: 'timeout' });
    const reason = new Error('no longer wanted');
    await assert.rejects(dialer.dial(target, patience(10_000, AbortSignal.abort(reason))), reason);
    assert.equal(dialer.counts.dialled, 0);
  });

  it('leaves neither a timer nor an abort listener behind', async () => {
    const pending = new Set<() => void>();
    const clock: Clock = {
      now: () => systemClock.now(),
      after: (_, callback) => {
        pending.add(callback);
        return () => pending.delete(callback);
      },
    };
    const { signal, abort } = countedSignal();
    const dialer = dialerTo(portOf(server), { clock });
    const socket = socketOf(
      await dialer.dial({ host, address: '127.0.0.1' }, { deadline: Infinity, signal }),
    );
    assert.equal(pending.size, 0);
    assert.deepEqual(
      ['connect', 'timeout', 'close'].map((name) => socket.listenerCount(name)),
      [0, 0, 0],
    );
    assert.equal(abort.listening, 0);
  });
});

describe('a mail host on IPv6', () => {
  it('is connected to', async () => {
    const server = await listen('::1', (socket) => socket.end());
    const dialer = dialerTo(portOf(server));
    const socket = socketOf(await dialer.dial({ host, address: '::1' }, patience()));
    assert.equal(socket.remoteAddress, '::1');
    server.close();
  });
});

describe('a mail host that fails', () => {
  it('refuses where nobody listens', async () => {
    const server = await listen('127.0.0.1', () => undefined);
    const port = portOf(server);
    server.close();
    await once(server, 'close');
    const outcome = await dialerTo(port).dial({ host, address: '127.0.0.1' }, patience());
    assert.deepEqual(outcome, { kind: 'failed', why: 'refused' });
  });

  it('may reset a connection before anybody listens to it, and the process lives', async () => {
    const accepted = new Set<Socket>();
    const server = await listen('127.0.0.1', (socket) => accepted.add(socket));
    const socket = socketOf(await dialerTo(portOf(server)).dial({ host, address: '127.0.0.1' }, patience()));
    while (accepted.size === 0) await turn();
    for (const other of accepted) other.resetAndDestroy();
    // Not `once`, which would listen for errors itself and hide that no other listener does.
    await new Promise((resolve) => socket.on('close', resolve));
    assert.ok(socket.destroyed);
    server.close();
  });
});

describe('a mail host that never answers', () => {
  let deaf: Awaited<ReturnType<typeof startDeafListener>>;
  before(async () => (deaf = await startDeafListener()));
  after(() => deaf.stop());
  const target = { host, address: '127.0.0.1' };

  it('costs no more than the time to connect', async () => {
    const dialer = dialerTo(deaf.port, { limits: { connectMs: 150 } });
    const start = systemClock.now();
    assert.deepEqual(await dialer.dial(target, patience(60_000)), { kind: 'failed', why: 'timeout' });
    const took = systemClock.now() - start;
    assert.ok(took >= 140 && took < 10_000, String(took));
  });

  it('costs no more than the patience of the caller', async () => {
    const dialer = dialerTo(deaf.port, { limits: { connectMs: 60_000 } });
    assert.deepEqual(await dialer.dial(target, patience(150)), { kind: 'failed', why: 'timeout' });
  });

  it('is given exactly the shorter of the two', async () => {
    for (const [connectMs, deadline, waited] of [
      [8_000, 1_500, 500],
      [300, 1_500, 300],
    ] as const) {
      const waits: number[] = [];
      const clock: Clock = {
        now: () => 1_000,
        after: (ms, callback) => {
          waits.push(ms);
          queueMicrotask(callback);
          return () => undefined;
        },
      };
      const dialer = dialerTo(deaf.port, { clock, limits: { connectMs } });
      const outcome = await dialer.dial(target, { deadline, signal: new AbortController().signal });
      assert.deepEqual(outcome, { kind: 'failed', why: 'timeout' });
      assert.deepEqual(waits, [waited]);
    }
  });

  it('is given up on an abort, with its reason', async () => {
    const controller = new AbortController();
    const reason = new Error('the caller has gone');
    const dialling = dialerTo(deaf.port).dial(target, patience(60_000, controller.signal));
    controller.abort(reason);
    await assert.rejects(dialling, reason);
  });
});

/** A signal that counts the listeners to its abort. */
function countedSignal() {
  const { signal } = new AbortController();
  const abort = { listening: 0 };
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...listener: Parameters<typeof add>) => {
    abort.listening += 1;
    add(...listener);
  };
  signal.removeEventListener = (...listener: Parameters<typeof remove>) => {
    abort.listening -= 1;
    remove(...listener);
  };
  return { signal, abort };
}

/**
 * A port that completes no further handshake: a thread listens with the smallest backlog and then sleeps, so nothing
 * is accepted. Once the backlog is full the kernel drops every further SYN.
 */
async function startDeafListener() {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const source = `
    const { parentPort, workerData } = require('node:worker_threads');
    const server = require('node:net').createServer();
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(workerData, 0, 0);
      server.close();
      process.exit();
    });`;
  const worker = new Worker(source, { eval: true, workerData: gate });
  const [port] = (await once(worker, 'message')) as [number];
  const waiting = await fillBacklog(port);
  return {
    port,
    stop: async () => {
      for (const socket of waiting) socket.destroy();
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
      await once(worker, 'exit');
    },
  };
}

/**
 * Opens more connections than the backlog takes. On loopback the kernel settles each within the call that begins it.
 * So once the first is through, all have been taken or left hanging; the open ones keep the backlog full.
 */
async function fillBacklog(port: number): Promise<Socket[]> {
  const held = Array.from({ length: 16 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await once(held[0]!, 'connect');
  return held;
}
