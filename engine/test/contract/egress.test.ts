import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import type { EngineSettings } from '../../src/create-engine.ts';
import { oneHost, startEngine } from '../support/start-engine.ts';

/** Which of our own addresses a mail host meets, watched from its side. */
const names = Array.from({ length: 24 }, (_, n) => `person${n}`);
const mailboxes = Object.fromEntries(names.map((name) => [name, 'exists' as const]));
const locals = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
const routes = locals.map((localAddress, n) => ({ id: `line${n}`, kind: 'direct', localAddress }) as const);

function policyFile(spread: number): NonNullable<EngineSettings['policyFile']> {
  return { providers: new Map([['big.test', { spread }]]), routes, canaries: [] };
}

/** The address that each mailbox was asked from. */
async function clientsOf(spread: number): Promise<Map<string, string>> {
  const running = await startEngine(oneHost('big.test', { mailboxes }), { policyFile: policyFile(spread) });
  try {
    await Promise.all(names.map((name) => running.verify(`${name}@big.test`)));
    const asked = running.world.conversations.flatMap(({ client, lines }) =>
      lines.flatMap((line) => {
        const [, name] = /^C: RCPT TO:<(person\d+)@/.exec(line) ?? [];
        return name === undefined ? [] : [[name, client] as const];
      }),
    );
    return new Map(asked);
  } finally {
    await running.stop();
  }
}

describe('a provider', () => {
  test('is asked from one address, however many there are', async () => {
    const clients = await clientsOf(1);
    assert.deepEqual([clients.size, new Set(clients.values()).size], [names.length, 1]);
  });

  test('that is spread is asked from that many, and each mailbox always from the same one', async () => {
    const [once, again] = [await clientsOf(2), await clientsOf(2)];
    assert.deepEqual([once.size, new Set(once.values()).size], [names.length, 2]);
    assert.deepEqual(new Map([...once].sort()), new Map([...again].sort()));
    assert.equal(new Set((await clientsOf(3)).values()).size, 3);
  });
});

describe('an engine that shares its egress addresses', () => {
  const patience = (withinMs: number) => ({
    deadline: systemClock.now() + withinMs,
    signal: new AbortController().signal,
  });

  test('sends nothing before one is given to it, asks from that one alone, and nothing after it gave it up', async () => {
    const running = await startEngine(oneHost('big.test', { mailboxes }), {
      sharesEgress: true,
      policyFile: policyFile(1),
    });
    const { engine, world } = running;
    const reasonOf = async (name: string) => {
      const outcome = await engine.verify(`${name}@big.test`, patience(20_000));
      return outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;
    };
    try {
      assert.equal(await reasonOf('person0'), 'unavailable');
      assert.equal(world.counts.smtp.connections, 0);
      engine.egress.takeOver('line1', { kind: 'nobody' }, systemClock.now() + 60_000);
      assert.equal(await reasonOf('person1'), 'safe');
      assert.deepEqual(
        world.conversations.map(({ client }) => client),
        ['127.0.0.2'],
      );
      engine.egress.giveUp('line1');
      assert.equal(await reasonOf('person2'), 'unavailable');
      assert.equal(world.counts.smtp.connections, 1);
    } finally {
      await running.stop();
    }
  });

  test('waits where its right has lapsed, and goes on as soon as it is prolonged', async () => {
    const running = await startEngine(oneHost('big.test', { mailboxes }), {
      sharesEgress: true,
      policyFile: policyFile(1),
    });
    const { engine, world } = running;
    try {
      engine.egress.takeOver('line1', { kind: 'nobody' }, systemClock.now());
      const outcome = engine.verify('person3@big.test', patience(20_000));
      while (engine.health().conversations.waiting === 0) await new Promise(setImmediate);
      assert.equal(world.counts.smtp.connections, 0);
      engine.egress.allowUntil('line1', systemClock.now() + 60_000);
      const found = await outcome;
      assert.equal(found.kind === 'verdict' && found.verdict.status, 'safe');
    } finally {
      await running.stop();
    }
  });
});
