import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tempers } from '../tempers.ts';
import { greeted, hello, hostName, mail, meet, rcpt, say } from '../../test/support/meet.ts';
import { overTls } from '../../test/support/raw-client.ts';
import type { Temper } from './temper.ts';

const mailboxes = {
  alive: 'exists',
  full: 'full',
  'full-for-now': 'full_for_now',
  disabled: 'disabled',
  busy: 'busy',
  deferred: 'deferred',
} as const;
const rcpts = (...people: string[]) => people.map(rcpt);
const unknownRecipients = (count: number) => Array.from({ length: count }, (_, n) => rcpt(`unknown${n}`));

/** Returns the replies to each recipient in its own group, MAIL included. */
async function replies(temper: Temper, people: string[]): Promise<string[]> {
  let found: string[] = [];
  await meet({ temper, mailboxes }, async ({ client, world }) => {
    await greeted(client);
    found = await say(client, mail, ...rcpts(...people));
    assert.deepEqual(world.violations, []);
  });
  return found.slice(1);
}

describe('a mail host', () => {
  test('knows its mailboxes', async () => {
    const people = ['alive', 'ALIVE', 'nobody', 'full', 'full-for-now', 'disabled', 'busy', 'deferred'];
    assert.deepEqual(await replies(tempers.plain, people), [
      '250 2.1.5',
      '250 2.1.5',
      '550 5.1.1',
      '552 5.2.2',
      '452 4.2.2',
      '550 5.2.1',
      '450 4.2.1',
      '451 4.3.0',
    ]);
  });

  test('tells mailboxes of one local part in two domains apart, and answers with a reply of its own', async () => {
    const boxes = { 'alive@meet.test': 'exists', odd: { reply: '550 5.7.1 No such user!' } } as const;
    await meet({ mailboxes: boxes }, async ({ client }) => {
      await greeted(client);
      const others = ['RCPT TO:<alive@other.test>\r\n', ...rcpts('odd', 'constructor', '__proto__')];
      const found = await say(client, mail, rcpt('alive'), ...others);
      assert.deepEqual(found.slice(1), ['250 2.1.5', '550 5.1.1', '550 5.7.1', '550 5.1.1', '550 5.1.1']);
    });
  });

  test('takes every address as a catch-all, except the mailboxes it knows better', async () => {
    assert.deepEqual(await replies(tempers.catchAll, ['anyone', 'full']), ['250 2.1.5', '552 5.2.2']);
  });

  test('takes one recipient a transaction and another after RSET', async () => {
    await meet({ temper: tempers.oneRecipient, mailboxes }, async ({ client, world }) => {
      await greeted(client);
      assert.deepEqual(await say(client, mail, ...rcpts('alive', 'nobody')), [
        '250 2.1.0',
        '250 2.1.5',
        '452 4.5.3',
      ]);
      assert.deepEqual(await say(client, 'RSET\r\n', mail, rcpt('nobody')), [
        '250 2.0.0',
        '250 2.1.0',
        '550 5.1.1',
      ]);
      assert.deepEqual(world.violations, []);
    });
  });

  test('offers PIPELINING unless told not to', async () => {
    await meet({}, async ({ client }) => assert.match(await greeted(client), /PIPELINING/));
    await meet({ temper: tempers.noPipelining }, async ({ client }) =>
      assert.doesNotMatch(await greeted(client), /PIPELINING/),
    );
  });

  test('that knows HELO only refuses EHLO', async () => {
    await meet({ temper: tempers.heloOnly, mailboxes }, async ({ client, world }) => {
      assert.match(await greeted(client), /^502 /);
      assert.deepEqual(await say(client, 'HELO probe.test\r\n'), [`250 ${hostName}`]);
      for (const [command, reply] of [
        [mail, '250 2.1.0'],
        [rcpt('alive'), '250 2.1.5'],
      ] as const) {
        assert.deepEqual(await say(client, command), [reply]);
      }
      assert.deepEqual(world.violations, []);
    });
  });

  test('that demands STARTTLS says 530 until it has it, and then speaks inside TLS', async () => {
    await meet({ temper: tempers.starttlsDemanded, mailboxes }, async ({ client, world }) => {
      assert.match(await greeted(client), /STARTTLS/);
      assert.deepEqual(await say(client, mail), ['530 5.7.0']);
      assert.deepEqual(await say(client, 'STARTTLS\r\n'), ['220 2.0.0']);
      const secure = await overTls(client);
      secure.client.send(hello);
      const [offer] = await secure.client.replies(1);
      assert.doesNotMatch(offer!, /STARTTLS/);
      assert.deepEqual(await say(secure.client, mail, rcpt('alive')), ['250 2.1.0', '250 2.1.5']);
      secure.client.send('QUIT\r\n');
      assert.match((await secure.client.closed()).text, /^221 /);
      assert.deepEqual(world.violations, []);
      assert.equal(world.conversations[0]!.secure, true);
      assert.equal(world.counts.smtp.handshakes, 1);
    });
  });

  test('takes internationalised addresses where it offers SMTPUTF8', async () => {
    await meet({ temper: tempers.smtputf8, mailboxes: { jürgen: 'exists' } }, async ({ client, world }) => {
      assert.match(await greeted(client), /SMTPUTF8/);
      const utf8Mail = 'MAIL FROM:<verify@probe.test> SMTPUTF8\r\n';
      assert.deepEqual(await say(client, utf8Mail, ...rcpts('jürgen', 'größe')), [
        '250 2.1.0',
        '250 2.1.5',
        '550 5.1.1',
      ]);
      assert.deepEqual(world.violations, []);
      assert.equal(world.conversations[0]!.lines.includes('C: RCPT TO:<jürgen@meet.test>'), true);
    });
  });

  test('that greylists defers the known until they come again later, and refuses unknown mailboxes at once', async () => {
    await meet({ temper: tempers.greylist, mailboxes }, async ({ client, world, another }) => {
      await greeted(client);
      assert.deepEqual(await say(client, mail, ...rcpts('alive', 'nobody')), [
        '250 2.1.0',
        '450 4.2.0',
        '550 5.1.1',
      ]);
      world.advance(299_000);
      assert.deepEqual(await say(client, rcpt('alive')), ['450 4.2.0']);
      world.advance(2_000);
      const later = await another();
      await greeted(later);
      assert.deepEqual(await say(later, mail, rcpt('alive')), ['250 2.1.0', '250 2.1.5']);
    });
  });

  test('that greylists goes by client, sender and recipient, and by the clock it is handed', async () => {
    let now = 0;
    const host = { temper: tempers.greylistEverybody, mailboxes };
    const dialogue = async ({ client }: Parameters<Parameters<typeof meet>[1]>[0]) => {
      await greeted(client);
      assert.deepEqual(await say(client, mail, ...rcpts('alive', 'nobody')), [
        '250 2.1.0',
        '450 4.2.0',
        '450 4.2.0',
      ]);
      now += 300_000;
      const otherMail = 'MAIL FROM:<other@probe.test>\r\n';
      assert.deepEqual(await say(client, 'RSET\r\n', otherMail, rcpt('alive')), [
        '250 2.0.0',
        '250 2.1.0',
        '450 4.2.0',
      ]);
      assert.deepEqual(await say(client, 'RSET\r\n', mail, ...rcpts('alive', 'nobody')), [
        '250 2.0.0',
        '250 2.1.0',
        '250 2.1.5',
        '550 5.1.1',
      ]);
    };
    await meet(host, dialogue, { clock: { now: () => now } });
  });

  test('that counts errors as Postfix does slows down and hangs up at the twentieth', async () => {
    const temper = { errorCount: { soft: 10, hard: 20, delayMs: 1 } };
    await meet({ temper, mailboxes }, async ({ client }) => {
      await greeted(client);
      client.send([mail, ...unknownRecipients(25)].join(''));
      const { text } = await client.closed();
      const codes = text.split('\r\n').map((line) => line.slice(0, 3));
      assert.equal(codes.filter((code) => code === '550').length, 19);
      assert.equal(codes.at(-2), '421');
    });
  });

  test('that gives up on mostly refused recipients refuses even the living from then on', async () => {
    await meet({ temper: tempers.refusesMostlyRefused, mailboxes }, async ({ client }) => {
      await greeted(client);
      await say(client, mail, ...unknownRecipients(9), rcpt('alive'));
      assert.deepEqual(await say(client, rcpt('alive')), ['550 Too']);
    });
  });

  for (const [temper, refusals] of [
    [tempers.hangsUpAtFirstRefusal, 1],
    [tempers.hangsUpAtThirdRefusal, 3],
  ] as const) {
    test(`that hangs up after ${refusals} refusals answers them and closes`, async () => {
      await meet({ temper, mailboxes }, async ({ client, world }) => {
        await greeted(client);
        client.send([mail, rcpt('alive'), ...unknownRecipients(5)].join(''));
        const { text, how } = await client.closed();
        assert.equal(text.match(/^550/gm)?.length, refusals);
        assert.equal(how, 'fin');
        assert.equal(world.conversations[0]!.ended, 'by_host');
        assert.deepEqual(world.violations, []);
      });
    });
  }

  for (const [at, temper, code] of [
    ['the banner', tempers.blockedAtBanner, /^554 .*block listed$/],
    ['the banner', tempers.busyBanner, /^450 /],
    ['the banner', tempers.closedBanner, /^554 /],
  ] as const) {
    test(`that refuses at ${at} says so and waits for QUIT (${code.source})`, async () => {
      await meet({ temper }, async ({ client, world }) => {
        assert.match((await client.replies(1))[0]!, code);
        client.send('QUIT\r\n');
        assert.match((await client.closed()).text, /^221/);
        assert.deepEqual(world.violations, []);
      });
    });
  }

  for (const [temper, expected] of [
    [tempers.blockedAtMail, ['550 5.7.1', '503 5.5.1']],
    [tempers.rateLimited, ['451 4.7.650', '503 5.5.1']],
    [tempers.blockedAtRcpt, ['250 2.1.0', '554 5.7.1']],
  ] as const) {
    test(`that has a list against us answers MAIL and RCPT with ${expected.join(' and ')}`, async () => {
      await meet({ temper, mailboxes }, async ({ client }) => {
        await greeted(client);
        assert.deepEqual(await say(client, mail, rcpt('alive')), expected);
      });
    });
  }

  test('that is dead refuses the connection', async () => {
    await assert.rejects(
      meet({ temper: tempers.dead }, () => Promise.resolve()),
      { code: 'ECONNREFUSED' },
    );
  });

  test('answers each command late where it tarpits, and the network delays a group once', async () => {
    await meet({ temper: { replyDelayMs: 20 }, mailboxes }, async ({ client }) => {
      await greeted(client);
      const started = performance.now();
      await say(client, mail, ...rcpts('alive', 'nobody', 'full'));
      assert.ok(performance.now() - started >= 75);
    });
    await meet({ latencyMs: 40, mailboxes }, async ({ client, world }) => {
      await greeted(client);
      const started = performance.now();
      client.send(mail);
      client.send(rcpt('alive'));
      await client.replies(2);
      assert.ok(performance.now() - started >= 39);
      assert.equal(world.conversations[0]!.roundTrips, 3);
    });
  });

  test('drips a byte at a time and is whole in the end', async () => {
    await meet({ temper: { dripEveryMs: 1 }, mailboxes }, async ({ client, world }) => {
      assert.match(await greeted(client), /PIPELINING/);
      assert.deepEqual(await say(client, mail, rcpt('alive')), ['250 2.1.0', '250 2.1.5']);
      assert.deepEqual(world.violations, []);
    });
  });

  test('speaks like the provider it is modelled on', async () => {
    const people = ['alive', 'nobody', 'full', 'disabled'];
    assert.deepEqual(await replies(tempers.gmailLike, [...people, 'full-for-now', 'busy']), [
      '250 2.1.5',
      '550 5.1.1',
      '552 5.2.2',
      '550 5.2.1',
      '452 4.2.2',
      '450 4.2.1',
    ]);
    assert.deepEqual(await replies(tempers.microsoft365Like, people), [
      '250 2.1.5',
      '550 5.4.1',
      '554 5.2.2',
      '550 5.7.505',
    ]);
    assert.deepEqual(await replies(tempers.outlookLike, ['nobody', 'alive']), ['550 5.5.0', '452 4.5.3']);
    assert.deepEqual(await replies(tempers.yahooLike, ['anyone']), ['250 recipient']);
    assert.deepEqual(await replies(tempers.mimecastLike, ['alive', 'nobody']), [
      '451 Internal',
      '451 Internal',
    ]);
    assert.deepEqual(await replies(tempers.comcastLike, people), [
      '250 2.1.5',
      '550 5.1.1',
      '552 5.1.1',
      '550 5.2.0',
    ]);
    assert.deepEqual(await replies(tempers.yandexLike, ['nobody', 'full']), ['550 5.7.1', '552 5.2.2']);
  });
});
