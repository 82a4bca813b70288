import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tempers } from '../tempers.ts';
import { emptied, greeted, hello, mail, meet, rcpt, say } from '../../test/support/meet.ts';
import { overTls } from '../../test/support/raw-client.ts';
import type { RawClient } from '../../test/support/raw-client.ts';
import type { ViolationKind } from './record.ts';
import type { Temper } from './temper.ts';

/** Runs the dialogue and returns the client's breaches, once the host has seen the client leave. */
async function heldAgainst(
  temper: Temper,
  dialogue: (client: RawClient) => Promise<unknown>,
): Promise<ViolationKind[]> {
  let kinds: ViolationKind[] = [];
  await meet({ temper, mailboxes: { alive: 'exists' } }, async ({ client, world }) => {
    await dialogue(client);
    client.socket.end();
    await emptied(world);
    kinds = world.violations.map((violation) => violation.kind);
    assert.deepEqual(world.conversations[0]!.violations, kinds);
  });
  return kinds;
}

async function quit(client: RawClient): Promise<void> {
  client.send('QUIT\r\n');
  await client.closed();
}

/** Sends the commands after a greeting, reads as many replies, and leaves politely. */
const after =
  (...commands: string[]) =>
  async (client: RawClient) => {
    await greeted(client);
    await say(client, ...commands);
    await quit(client);
  };

describe('a mail host holds against its client', () => {
  test('nothing, where the client keeps to the protocol', async () => {
    assert.deepEqual(await heldAgainst({}, after(mail, rcpt('alive'), 'RSET\r\n', mail, rcpt('x'))), []);
  });

  for (const verb of ['DATA', 'BDAT 0 LAST', 'VRFY alive', 'EXPN list', 'NOOP', 'HELP', 'AUTH PLAIN']) {
    test(`${verb}, which a verifier never says`, async () => {
      assert.deepEqual(await heldAgainst({}, after(`${verb}\r\n`)), ['unexpected_verb']);
    });
  }

  test('a bare line feed and control bytes', async () => {
    assert.deepEqual(await heldAgainst({}, after('RSET\n')), ['bare_lf']);
    assert.deepEqual(await heldAgainst({}, after('RSET\x07\r\n')), ['control_byte', 'unexpected_verb']);
  });

  test('a command over 512 bytes, but not one of 512', async () => {
    const filler = (bytes: number) =>
      `RCPT TO:<${'x'.repeat(bytes - 'RCPT TO:<@meet.test>\r\n'.length)}@meet.test>\r\n`;
    assert.deepEqual(await heldAgainst({}, after(mail, filler(512))), []);
    assert.deepEqual(await heldAgainst({}, after(mail, filler(513))), ['command_too_long']);
  });

  test('talk before the banner', async () => {
    const kinds = await heldAgainst({ replyDelayMs: 20 }, async (client) => {
      client.send(hello);
      await client.replies(2);
      await quit(client);
    });
    assert.deepEqual(kinds, ['spoke_before_banner']);
  });

  test('pipelining that was not offered', async () => {
    assert.deepEqual(await heldAgainst(tempers.noPipelining, after(mail, rcpt('alive'))), [
      'pipelined_unasked',
    ]);
  });

  test('pipelining after HELO, and behind EHLO before its reply', async () => {
    const afterHelo = await heldAgainst({}, async (client) => {
      await greeted(client, 'HELO probe.test\r\n');
      await say(client, mail, rcpt('alive'));
      await quit(client);
    });
    assert.deepEqual(afterHelo, ['pipelined_unasked']);
    const behindEhlo = await heldAgainst({}, async (client) => {
      await client.replies(1);
      client.send(hello + mail);
      await client.replies(2);
      await quit(client);
    });
    assert.deepEqual(behindEhlo, ['pipelined_unasked']);
    assert.deepEqual(await heldAgainst({}, after(hello, mail)), ['pipelined_unasked']);
  });

  test('a command, or half of one, in flight after STARTTLS', async () => {
    for (const extra of [mail, 'MAIL FR']) {
      const kinds = await heldAgainst(tempers.starttlsOffered, async (client) => {
        await greeted(client);
        client.send(`STARTTLS\r\n${extra}`);
        await client.replies(1);
      });
      assert.deepEqual(kinds, ['spoke_after_starttls']);
    }
  });

  test('STARTTLS where it was not offered', async () => {
    assert.deepEqual(await heldAgainst({}, after('STARTTLS\r\n')), ['starttls_not_offered']);
  });

  test('MAIL before EHLO and MAIL inside a transaction', async () => {
    const early = await heldAgainst({}, async (client) => {
      await client.replies(1);
      await say(client, mail);
      await quit(client);
    });
    assert.deepEqual(early, ['mail_before_ehlo']);
    assert.deepEqual(await heldAgainst({}, after(mail, mail)), ['mail_inside_transaction']);
  });

  test('MAIL after the handshake without EHLO again', async () => {
    const kinds = await heldAgainst(tempers.starttlsOffered, async (client) => {
      await greeted(client);
      await say(client, 'STARTTLS\r\n');
      const secure = await overTls(client);
      assert.deepEqual(await say(secure.client, mail), ['503 5.5.1']);
      await quit(secure.client);
    });
    assert.deepEqual(kinds, ['mail_before_ehlo']);
  });

  test('SMTPUTF8 that was not offered, and addresses beyond ASCII without it', async () => {
    const utf8Mail = 'MAIL FROM:<verify@probe.test> SMTPUTF8\r\n';
    assert.deepEqual(await heldAgainst({}, after(utf8Mail)), ['smtputf8_not_offered']);
    assert.deepEqual(await heldAgainst(tempers.smtputf8, after(mail, rcpt('jürgen'))), ['smtputf8_missing']);
    assert.deepEqual(await heldAgainst({}, after(mail, rcpt('jürgen'))), ['smtputf8_missing']);
  });

  test('commands that are not written as they should be', async () => {
    for (const command of ['EHLO\r\n', 'MAIL FROM: <a@b.test>\r\n', 'MAIL FROM:a@b.test\r\n']) {
      assert.deepEqual(await heldAgainst({}, after(command)), ['malformed_command'], command);
    }
    assert.deepEqual(await heldAgainst({}, after(mail, 'RCPT TO:<nobody>\r\n')), ['malformed_command']);
  });

  test('leaving without QUIT while in step, by FIN or by RST', async () => {
    const byFin = (client: RawClient) => greeted(client);
    const byRst = async (client: RawClient) => {
      await greeted(client);
      client.socket.resetAndDestroy();
    };
    assert.deepEqual(await heldAgainst({}, byFin), ['ended_without_quit']);
    assert.deepEqual(await heldAgainst({}, byRst), ['ended_without_quit']);
    assert.deepEqual(await heldAgainst(tempers.busyBanner, (client) => client.replies(1)), [
      'ended_without_quit',
    ]);
  });

  test('nothing, where the client leaves a host that owes it a reply or has broken the protocol', async () => {
    assert.deepEqual(await heldAgainst(tempers.blackhole, () => Promise.resolve()), []);
    const silentAtMail = { fault: { phase: 'mail', fault: 'silence' } } as const;
    const leaves = async (client: RawClient) => {
      await greeted(client);
      client.send(mail);
    };
    assert.deepEqual(await heldAgainst(silentAtMail, leaves), []);
    const misled = { fault: { phase: 'ehlo', fault: 'early_reply' } } as const;
    assert.deepEqual(await heldAgainst(misled, (client) => greeted(client)), []);
  });
});
