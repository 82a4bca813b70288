import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Temper, World } from '@mailproof/world';
import { systemClock } from '../../src/clock.ts';
import type { EngineSettings } from '../../src/create-engine.ts';
import type { EngineMemory, Remembered } from '../../src/memory.ts';
import { readPolicyFile } from '../../src/politeness/read-policy-file.ts';
import type { Outcome } from '../../src/verify.ts';
import { oneHost, openEngine, startEngine } from '../support/start-engine.ts';

/** Facts that an engine need not learn again after a restart, counted by the world. */

/** Keeps its entries as text, as a store would; `pass` lets time go by between two engines. */
function createTestMemory() {
  const pages = new Map<string, { text: string; lifeMs: number }>();
  return {
    memory: {
      load: () =>
        [...pages.values()]
          .filter(({ lifeMs }) => lifeMs > 0)
          .map(({ text, lifeMs }) => ({ ...readEntry(text), lifeMs })),
      learn: (entry) =>
        void pages.set(`${entry.kind} ${entry.key}`, { text: JSON.stringify(entry), lifeMs: entry.lifeMs }),
    } satisfies EngineMemory,
    pass: (ms: number): void => {
      for (const page of pages.values()) page.lifeMs -= ms;
    },
    text: () => [...pages.values()].map(({ text }) => text).join('\n'),
  };
}

const readEntry = (text: string): Remembered => JSON.parse(text) as Remembered;

function summary(outcome: Outcome): string {
  if (outcome.kind === 'invalid_address') return outcome.fault;
  const status = outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;
  return `${status} ${outcome.explanation.reason}`;
}

/** One engine after the other in the same world, each asking once; `between` runs while there is none. */
async function askInTurn(
  temper: Temper,
  emails: string[],
  { settings, between }: { settings: Partial<EngineSettings>; between?: (world: World) => void },
): Promise<{ answers: string[]; world: World }> {
  const description = oneHost('list.test', { temper, mailboxes: { alive: 'exists', other: 'exists' } });
  const running = await startEngine(description, settings);
  const { world } = running;
  const answers: string[] = [];
  try {
    for (const [turn, email] of emails.entries()) {
      if (turn > 0) between?.(world);
      const engine = turn === 0 ? running.engine : await openEngine(world, settings);
      const patience = { deadline: systemClock.now() + 30_000, signal: new AbortController().signal };
      answers.push(summary(await engine.verify(email, patience)));
      engine.close();
    }
  } finally {
    await running.stop();
  }
  return { answers, world };
}

function randomProbesNamed(world: World): string[] {
  return world.conversations
    .flatMap(({ lines }) => lines)
    .flatMap((line) => /^C: RCPT TO:<([a-z]{6}[._-]?[a-z]{8}\d{2,3})@/.exec(line)?.[1] ?? []);
}

describe('an engine that starts again with its memory', () => {
  test('asks for no made-up address again, whether it is taken or not', async () => {
    for (const [temper, answer] of [
      [{}, 'safe mailbox_accepted'],
      [{ catchAll: true }, 'catch_all accepts_every_address'],
    ] as const) {
      const { memory, text } = createTestMemory();
      const { answers, world } = await askInTurn(temper, ['alive@list.test', 'other@list.test'], {
        settings: { memory },
      });
      assert.deepEqual(answers, [answer, answer]);
      assert.equal(randomProbesNamed(world).length, 1);
      assert.ok(!text().includes('@') && !text().includes('alive'), 'no address is remembered');
    }
  });

  test('asks again when the answer has lived its time', async () => {
    const { memory, pass } = createTestMemory();
    const { world } = await askInTurn({}, ['alive@list.test', 'other@list.test'], {
      settings: { memory },
      between: () => pass(86_400_000),
    });
    assert.equal(randomProbesNamed(world).length, 2);
  });

  test('knows what a host cannot bear', async () => {
    const { memory } = createTestMemory();
    const temper: Temper = { recipientsPerTransaction: 1 };
    const { answers, world } = await askInTurn(temper, ['alive@list.test', 'other@list.test'], {
      settings: { memory },
    });
    assert.deepEqual(answers, Array(2).fill('safe mailbox_accepted'));
    assert.deepEqual(
      memory.load().flatMap(({ kind, value }) => (kind === 'host_traits' ? [value] : [])),
      [{ oneRecipient: true }],
    );
    assert.equal(world.counts.smtp.commands['RCPT'], 4, 'put off once, by the first');
  });

  test('leaves a resting host alone for the rest of its time', async () => {
    const { memory, pass } = createTestMemory();
    const temper: Temper = { refusal: { at: 'banner', reply: '421 4.3.2 come back later' } };
    const settings: Partial<EngineSettings> = { memory, pacing: 'on' };
    const waits = [60_000, 600_000];
    const { answers, world } = await askInTurn(
      temper,
      ['alive@list.test', 'other@list.test', 'alive@list.test'],
      { settings, between: () => pass(waits.shift() ?? 0) },
    );
    assert.deepEqual(answers[1], 'unknown host_defers');
    assert.equal(world.counts.smtp.connections, 2, 'the first and the third');
    const rest = memory.load().find(({ kind }) => kind === 'rest');
    assert.ok(rest !== undefined && rest.lifeMs >= 600_000, 'twice as long after the second failure');
  });

  test('goes on counting the volume of a route', async () => {
    const { memory } = createTestMemory();
    const read = readPolicyFile(JSON.stringify({ routes: [{ id: 'default', kind: 'direct', perDay: 1 }] }));
    if (read.kind === 'bad') throw new Error(read.line);
    const { answers, world } = await askInTurn({}, ['alive@list.test', 'other@list.test'], {
      settings: { memory, policyFile: read.file },
    });
    assert.deepEqual(answers, ['safe mailbox_accepted', 'unknown route_volume_spent']);
    assert.equal(world.counts.smtp.connections, 1);
  });

  test('asks a greylisting host for the same made-up address, if the key is the same', async () => {
    const { memory } = createTestMemory();
    const temper: Temper = { greylist: { waitMs: 60_000, defers: 'everybody' } };
    const { answers, world } = await askInTurn(temper, ['alive@list.test', 'alive@list.test'], {
      settings: { memory, randomProbeKey: 'a key of the test' },
      between: (there) => there.advance(61_000),
    });
    assert.deepEqual(answers, ['unknown greylisted', 'safe mailbox_accepted']);
    assert.equal(new Set(randomProbesNamed(world)).size, 1);
  });

  test('ignores what it cannot read', async () => {
    const junk: unknown[] = [null, 0, 'maybe', [], {}, { tls: 7, refusalsTaken: -1 }, { restMs: 'long' }];
    const kinds = ['catch_all', 'host_traits', 'rest', 'route'] as const;
    const keys = ['list.test', 'mx.list.test', 'address 127.0.0.2', 'group list.test', 'default'];
    const entries = kinds.flatMap((kind) =>
      keys.flatMap((key) => junk.map((value) => ({ kind, key, value, lifeMs: 60_000 }))),
    );
    const memory: EngineMemory = { load: () => entries, learn: () => undefined };
    const { answers } = await askInTurn({}, ['alive@list.test'], { settings: { memory, pacing: 'on' } });
    assert.deepEqual(answers, ['safe mailbox_accepted']);
  });
});
