import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tempers } from '../tempers.ts';
import { greeted, hello, hostName, mail, meet, rcpt, say } from '../../test/support/meet.ts';
import { overTls } from '../../test/support/raw-client.ts';
import type { RawClient } from '../../test/support/raw-client.ts';

const mailboxes = { alive: 'exists' } as const;

async function quit(client: RawClient): Promise<void> {
  client.send('QUIT\r\n');
  await client.closed();
}

describe('round trips', () => {
  test('are four where MAIL and two RCPT are pipelined', async () => {
    await meet({ mailboxes }, async ({ client, world }) => {
      await greeted(client);
      await say(client, mail, rcpt('alive'), rcpt('nobody'));
      await quit(client);
      assert.equal(world.conversations[0]!.roundTrips, 4);
      assert.equal(world.counts.smtp.roundTrips, 4);
      assert.equal(world.hosts[hostName]!.counts.roundTrips, 4);
    });
  });

  test('are six where every command waits for the last', async () => {
    await meet({ temper: tempers.noPipelining, mailboxes }, async ({ client, world }) => {
      await greeted(client);
      for (const command of [mail, rcpt('alive'), rcpt('nobody')]) await say(client, command);
      await quit(client);
      assert.equal(world.conversations[0]!.roundTrips, 6);
    });
  });

  test('count a pipelined group once, though it came in three writes', async () => {
    await meet({ mailboxes }, async ({ client, world }) => {
      await greeted(client);
      for (const command of [mail, rcpt('alive'), rcpt('nobody')]) client.send(command);
      await client.replies(3);
      await quit(client);
      assert.equal(world.conversations[0]!.roundTrips, 4);
    });
  });

  test('of STARTTLS are three more: the command, the handshake and EHLO again', async () => {
    await meet({ temper: tempers.starttlsOffered, mailboxes }, async ({ client, world }) => {
      await greeted(client);
      await say(client, 'STARTTLS\r\n');
      const secure = await overTls(client);
      secure.client.send(hello);
      await secure.client.replies(1);
      await say(secure.client, mail, rcpt('alive'), rcpt('nobody'));
      await quit(secure.client);
      assert.equal(secure.tls.getProtocol() ?? 'TLSv1.3', 'TLSv1.3');
      assert.equal(world.conversations[0]!.roundTrips, 7);
    });
  });

  test('and all else are told by conversation, line by line', async () => {
    await meet({ mailboxes }, async ({ client, world }) => {
      await greeted(client);
      await say(client, mail, rcpt('alive'));
      await quit(client);
      const { lines, ended, client: peer } = world.conversations[0]!;
      assert.deepEqual(lines.slice(0, 2), [`S: 220 ${hostName} ESMTP`, 'C: EHLO probe.test']);
      assert.deepEqual(lines.slice(-6), [
        'C: MAIL FROM:<verify@probe.test>',
        'C: RCPT TO:<alive@meet.test>',
        'S: 250 2.1.0 Ok',
        'S: 250 2.1.5 Ok',
        'C: QUIT',
        'S: 221 2.0.0 Bye',
      ]);
      assert.deepEqual([ended, peer], ['by_host', '127.0.0.1']);
      assert.deepEqual(world.counts.smtp.commands, { EHLO: 1, MAIL: 1, RCPT: 1, QUIT: 1 });
    });
  });
});
