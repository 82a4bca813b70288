import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { defaultLimits as limits } from '../limits.ts';
import { Connection } from './connection.ts';

const reply = (code: number, text: string) => ({
  kind: 'reply',
  reply: { code, enhanced: undefined, lines: [text] },
});
const fault = (what: string) => ({ kind: 'fault', fault: what });

describe('a connection to a mail host', () => {
  let server: Server;
  let host: Socket;
  let clock: TestClock;
  let controller: AbortController;
  let connection: Connection;

  before(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());
  beforeEach(async () => {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    [[host]] = await Promise.all([accepted, once(socket, 'connect')]);
    host.on('error', () => undefined);
    clock = createTestClock();
    controller = new AbortController();
    connection = new Connection(socket, { clock, limits, signal: controller.signal });
  });

  afterEach(() => {
    connection.destroy();
    host.destroy();
  });

  const listening = () => getEventListeners(controller.signal, 'abort').length;

  test('gives up a silent host at the deadline, neither before nor after, however often its timer is set', async () => {
    let heard: unknown;
    const reading = connection.read(60_000).then((outcome) => (heard = outcome));
    clock.advance(59_999);
    await new Promise(setImmediate);
    assert.equal(heard, undefined);
    clock.advance(1);
    assert.deepEqual(await reading, fault('timeout'));
    assert.equal(connection.fault(), 'timeout');
    assert.equal(clock.timers(), 0);
    assert.equal(listening(), 0);
  });

  test('gives a later wait the time that is its own, shorter or longer than the one before', async () => {
    host.write('220 hello\r\n');
    assert.deepEqual(await connection.read(60_000), reply(220, 'hello'));
    clock.advance(1_500);
    host.write('250 fine\r\n');
    assert.deepEqual(await connection.read(8_000), reply(250, 'fine'));
    const short = connection.read(1_600);
    clock.advance(99);
    assert.equal(connection.fault(), undefined);
    clock.advance(1);
    assert.deepEqual(await short, fault('timeout'));
  });

  test('breaks nothing if its timer fires while no caller waits', async () => {
    host.write('220 hello\r\n');
    assert.deepEqual(await connection.read(1_000), reply(220, 'hello'));
    clock.advance(120_000);
    assert.equal(connection.fault(), undefined);
    const reading = connection.read(121_000);
    clock.advance(1_000);
    assert.deepEqual(await reading, fault('timeout'));
  });

  test('has what came together at hand without another wait', async () => {
    host.write('250 one\r\n250 two\r\n250 thr');
    assert.deepEqual(await connection.read(1_000), reply(250, 'one'));
    assert.deepEqual(connection.heard(), reply(250, 'two'));
    assert.equal(connection.heard(), undefined);
    host.write('ee\r\n');
    assert.deepEqual(await connection.read(1_000), reply(250, 'three'));
  });

  test('tells what was said before a hang-up, and then the hang-up', async () => {
    host.end('250 one\r\n250 two\r\n');
    assert.deepEqual(await connection.read(1_000), reply(250, 'one'));
    while (connection.fault() === undefined) await new Promise(setImmediate);
    assert.deepEqual(await connection.read(1_000), reply(250, 'two'));
    assert.deepEqual(await connection.read(1_000), fault('closed'));
    assert.equal(clock.timers(), 0);
  });

  test('takes nothing for an answer once it is out of step, and the first fault stays', async () => {
    host.write('250 one\r\n250 unasked-for\r\n');
    assert.deepEqual(await connection.read(1_000), reply(250, 'one'));
    connection.send([{ verb: 'QUIT' }]);
    assert.equal(connection.heard(), undefined);
    assert.deepEqual(await connection.read(1_000), fault('protocol_error'));
    await once(host.resume(), 'close');
    assert.equal(connection.fault(), 'protocol_error');
  });

  test('rejects with the reason of an abort, while it waits and ever after', async () => {
    const reason = new Error('no longer wanted');
    const reading = connection.read(60_000);
    controller.abort(reason);
    await assert.rejects(reading, reason);
    await assert.rejects(connection.read(60_000), reason);
    assert.throws(() => connection.send([{ verb: 'QUIT' }]), reason);
    assert.equal(clock.timers(), 0);
    assert.equal(listening(), 0);
  });

  test('leaves neither a timer nor an abort listener behind when it is left', async () => {
    host.write('220 hello\r\n');
    await connection.read(60_000);
    connection.destroy();
    assert.equal(clock.timers(), 0);
    assert.equal(listening(), 0);
    await once(host.resume(), 'close');
  });
});
