import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, it } from 'node:test';
import { systemClock } from '../clock.ts';
import { readExactly } from './socks5.ts';

const opened: { destroy(): unknown }[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

async function pair(): Promise<[ours: Socket, theirs: Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ours = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [theirs] = (await once(server, 'connection')) as [Socket];
  server.close();
  opened.push(ours, theirs);
  return [ours.on('error', () => undefined), theirs];
}

const waiting = () => ({
  clock: systemClock,
  patience: { deadline: systemClock.now() + 20_000, signal: new AbortController().signal },
});

const read = async (socket: Socket, size: number): Promise<string> => {
  const heard = await readExactly(socket, size, waiting());
  return heard.kind === 'bytes' ? heard.bytes.toString() : heard.kind;
};

it('reads what was asked for and leaves the rest', async () => {
  const [ours, theirs] = await pair();
  theirs.write('abcdef');
  assert.equal(await read(ours, 2), 'ab');
  assert.equal(await read(ours, 3), 'cde');
  theirs.end('gh');
  assert.equal(await read(ours, 2), 'fg');
});

it('says so where the other side ends before enough has come', async () => {
  const [ours, theirs] = await pair();
  theirs.end('ab');
  assert.equal(await read(ours, 3), 'closed');
});

it('says so if the socket closed before there was a listener', async () => {
  const [ours, theirs] = await pair();
  theirs.resetAndDestroy();
  // Not `once`, which rejects on the error that a reset is.
  await new Promise((resolve) => ours.on('close', resolve));
  assert.equal(await read(ours, 1), 'closed');
});
