import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostDescription, Temper } from '@mailproof/world';
import type { EngineSettings } from '../../src/create-engine.ts';
import type { Outcome } from '../../src/verify.ts';
import { oneHost, startEngine, type EngineInWorld } from '../support/start-engine.ts';

/**
 * Mail hosts that are slow, leave in the middle, or want TLS late: nobody who lives there is lost by it. Slowness is
 * scaled down: what is a fault of ours shows as a wait that is too short by design, never as one that is short by chance.
 */
const living = ['alive0', 'alive1', 'alive2', 'alive3', 'alive4', 'alive5'];
const dead = ['nobody0', 'nobody1', 'nobody2', 'nobody3', 'nobody4', 'nobody5'];
const asker = { urgency: 'bulk', account: 'list' } as const;

async function at(
  temper: Temper,
  work: (running: EngineInWorld) => Promise<void>,
  settings: Partial<EngineSettings> = {},
): Promise<void> {
  const mailboxes = Object.fromEntries(living.map((name) => [name, 'exists' as const]));
  const host: HostDescription = { temper, mailboxes };
  const running = await startEngine(oneHost('slow.test', host), settings);
  try {
    await work(running);
    assert.deepEqual(running.world.violations, []);
  } finally {
    await running.stop();
  }
}

function told(outcome: Outcome): string {
  return outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;
}

async function single({ verify }: EngineInWorld, name = 'alive0'): Promise<string> {
  return told(await verify(`${name}@slow.test`));
}

/** A list, asked for at once; what came of each that is not as it should be. */
async function wrongOfList({ verify }: EngineInWorld, names: string[]): Promise<string[]> {
  const outcomes = await Promise.all(names.map((name) => verify(`${name}@slow.test`, { asker })));
  return outcomes.flatMap((outcome, index) => {
    const name = names[index] ?? '';
    const expected = name.startsWith('alive') ? 'safe' : 'invalid';
    return told(outcome) === expected ? [] : [`${name} ${told(outcome)}`];
  });
}

const mixed = living.flatMap((name, index) => [dead[index] ?? '', name]);

describe('a host that holds the replies to a group until its end', () => {
  // MAIL alone would have been given up on long before the group is answered.
  const held: Temper = { recipientDelayMs: 200, holdsReplies: true };
  const limits = { mailMs: 100, rcptMs: 10_000 };

  test('is waited for as long as all its commands together may take', () =>
    at(held, async (running) => assert.equal(await single(running), 'safe'), { limits }));
  test('in lists as well', () =>
    at(held, async (running) => assert.deepEqual(await wrongOfList(running, mixed), []), { limits }));
});

describe('a host that leaves in the middle of a group', () => {
  for (const refusals of [1, 2, 3]) {
    test(`by hanging up after ${refusals}: nobody of a list is lost`, () =>
      at({ hangsUpAfterRefusals: refusals }, async (running) =>
        assert.deepEqual(await wrongOfList(running, mixed), []),
      ));
    test(`by 421 in place of refusal ${refusals + 1}: nobody of a list is lost`, () =>
      at({ errorCount: { soft: 100, hard: refusals + 1, delayMs: 0 } }, async (running) =>
        assert.deepEqual(await wrongOfList(running, mixed), []),
      ));
  }
  test('and takes the replies that were on their way along: the mailbox is asked for again, the made-up one last', () =>
    at({ vanishesAtRefusal: 1 }, async (running) => {
      await running.verify('alive0@slow.test');
      const [, second] = running.world.conversations;
      const said = second?.lines.filter((line) => /^(?:C: RCPT|S: 250 2\.1\.5)/.test(line)) ?? [];
      assert.match(said[0] ?? '', /alive0/);
      assert.match(said[1] ?? '', /^S: 250/, 'answered before the made-up one is named');
    }));
});

describe('a made-up recipient that provokes 421', () => {
  test('does not cost the mailbox behind it its answer', () =>
    at({ errorCount: { soft: 100, hard: 2, delayMs: 0 } }, async (running) => {
      assert.deepEqual(await wrongOfList(running, ['nobody0', 'alive0']), []);
    }));

  test('does not cost the mailbox before it its verdict', async () => {
    // The third error of a conversation is the made-up recipient of the second domain, right behind a living one.
    const temper: Temper = { errorCount: { soft: 100, hard: 3, delayMs: 0 } };
    const running = await startEngine({
      zones: { 'one.test': { mx: [[10, 'mx.test']] }, 'two.test': { mx: [[10, 'mx.test']] } },
      hosts: { 'mx.test': { temper, mailboxes: { 'alive@two.test': 'exists' } } },
    });
    try {
      const outcomes = await Promise.all(
        ['nobody@one.test', 'alive@two.test'].map((email) => running.verify(email, { asker })),
      );
      assert.deepEqual(outcomes.map(told), ['invalid', 'safe']);
      const [first] = running.world.conversations;
      assert.ok(first?.lines.some((line) => line.startsWith('S: 421')));
    } finally {
      await running.stop();
    }
  });
});

describe('TLS that is demanded only of a recipient', () => {
  const demands = ['530 5.7.0 Must issue a STARTTLS command first', '550 5.7.1 TLS encryption is required'];
  for (const tlsDemand of demands) {
    test(`${tlsDemand}: asked again over TLS in the same conversation, and remembered`, () =>
      at({ starttls: 'demanded_at_recipient', tlsDemand }, async (running) => {
        assert.equal(await single(running), 'safe');
        assert.equal(running.world.counts.smtp.connections, 1);
        running.world.reset();
        assert.equal(await single(running, 'nobody0'), 'invalid');
        assert.deepEqual(running.world.counts.smtp.commands, {
          EHLO: 2,
          STARTTLS: 1,
          MAIL: 1,
          RCPT: 1,
          QUIT: 1,
        });
      }));
  }
  test('where it is not offered, the refusal is the answer', () =>
    at(
      { refusal: { at: 'rcpt', reply: '530 5.7.0 Must issue a STARTTLS command first' } },
      async ({ verify }) => {
        const outcome = await verify('alive0@slow.test');
        assert.equal(outcome.kind === 'verdict' && outcome.explanation.reason, 'tls_required');
      },
    ));
});
