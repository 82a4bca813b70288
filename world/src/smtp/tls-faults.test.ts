import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { emptied, greeted, hello, mail, meet, type Meeting, rcpt, say } from '../../test/support/meet.ts';
import { overTls } from '../../test/support/raw-client.ts';
import { tlsFaultHost } from '../tempers.ts';
import { type TlsFault, tlsFaults } from './temper.ts';

/** Starts a handshake after the go-ahead and returns its outcome: done, closed, or the error's code. */
async function handshake({ client }: Meeting, options: ConnectionOptions = {}): Promise<string> {
  client.socket.removeAllListeners('data');
  const tls = connectTls({ socket: client.socket, rejectUnauthorized: false, ...options });
  try {
    return await Promise.race([
      once(tls, 'secureConnect').then(() => 'done'),
      once(tls, 'close').then(() => 'closed'),
    ]);
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

/** Shows without waiting that a handshake stalls: another whole conversation fits in meanwhile. */
async function stalls(meeting: Meeting): Promise<void> {
  const { socket } = meeting.client;
  const outcome = handshake(meeting);
  const visitor = await meeting.another();
  await greeted(visitor);
  visitor.send('QUIT\r\n');
  await visitor.closed();
  assert.equal(await Promise.race([outcome, Promise.resolve('stalled')]), 'stalled');
  socket.destroy();
  assert.notEqual(await outcome, 'done');
  await emptied(meeting.world);
  assert.deepEqual(meeting.world.violations, []);
}

/** Shows a stall after a part of the handshake: that part must arrive. */
async function stallsUnderWay(meeting: Meeting): Promise<void> {
  const { socket } = meeting.client;
  const before = socket.bytesRead;
  await stalls(meeting);
  assert.ok(socket.bytesRead > before);
}

const fails = (code: RegExp) => async (meeting: Meeting) => assert.match(await handshake(meeting), code);

const seen: Record<Exclude<TlsFault, 'refused' | 'injected_reply'>, (meeting: Meeting) => Promise<void>> = {
  garbage: fails(/^ERR_SSL/),
  close: fails(/^(?:ECONNRESET|EPIPE)$/),
  reset: fails(/^(?:ECONNRESET|EPIPE)$/),
  stall_before_hello: stalls,
  stall_inside_hello: stallsUnderWay,
  stall_before_finished: stallsUnderWay,
  stall_after_handshake: async ({ client, another }) => {
    const secure = await overTls(client);
    secure.client.send(hello);
    const visitor = await another();
    await greeted(visitor);
    assert.equal(secure.client.received(), '');
  },
  bad_record: fails(/^ERR_SSL/),
  huge_chain: fails(/^ERR_SSL_EXCESSIVE_MESSAGE_SIZE$/),
  old_version: async (meeting) => {
    assert.match(await handshake(meeting), /PROTOCOL/);
    const old = await meeting.another();
    await greeted(old);
    await say(old, 'STARTTLS\r\n');
    const weak = { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    assert.equal(await handshake({ ...meeting, client: old }, weak), 'done');
  },
};

describe('TLS faults', () => {
  test('are twelve', () => assert.equal(tlsFaults.length, 12));

  for (const fault of tlsFaults) {
    if (fault === 'refused' || fault === 'injected_reply') continue;
    test(`${fault} strikes the handshake`, async () => {
      await meet(tlsFaultHost(fault), async (meeting) => {
        await greeted(meeting.client);
        assert.deepEqual(await say(meeting.client, 'STARTTLS\r\n'), ['220 2.0.0']);
        await seen[fault](meeting);
      });
    });
  }

  test('refused: 454, and the conversation goes on in plaintext', async () => {
    await meet(tlsFaultHost('refused', 'offered'), async ({ client }) => {
      await greeted(client);
      assert.deepEqual(await say(client, 'STARTTLS\r\n'), ['454 4.7.0']);
      assert.deepEqual(await say(client, mail, rcpt('alive')), ['250 2.1.0', '250 2.1.5']);
    });
  });

  test('injected_reply: a second reply comes in plaintext with the go-ahead', async () => {
    await meet(tlsFaultHost('injected_reply'), async ({ client }) => {
      await greeted(client);
      client.send('STARTTLS\r\n');
      const codes = (await client.replies(2)).map((reply) => reply.slice(0, 3));
      assert.deepEqual(codes, ['220', '250']);
    });
  });
});
