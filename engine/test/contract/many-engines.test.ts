import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Temper } from '@mailproof/world';
import { systemClock } from '../../src/clock.ts';
import type { EngineMemory, Remembered } from '../../src/memory.ts';
import { oneHost, openEngine, startEngine } from '../support/start-engine.ts';

/** Several engines that share a memory and one mail host, watched from the other side of the wire. */

/** A memory that several engines share: the others hear of each new entry. */
function createMemories(): () => EngineMemory {
  const entries = new Map<string, Remembered>();
  const listeners = new Map<EngineMemory, (entries: Remembered[]) => void>();
  return () => {
    const memory: EngineMemory = {
      load: () => [...entries.values()],
      learn(entry) {
        entries.set(`${entry.kind} ${entry.key}`, entry);
        for (const [other, tell] of listeners) if (other !== memory) tell([structuredClone(entry)]);
      },
      listen: (tell) => void listeners.set(memory, tell),
    };
    return memory;
  };
}

async function askTwoEngines(temper: Temper, emails: [string, string]) {
  const openMemory = createMemories();
  const description = oneHost('list.test', { temper, mailboxes: { alive: 'exists', other: 'exists' } });
  const settings = { pacing: 'on', onProblem: () => undefined } as const;
  const one = await startEngine(description, { ...settings, memory: openMemory() });
  const other = await openEngine(one.world, { ...settings, memory: openMemory() });
  const patience = { deadline: systemClock.now() + 30_000, signal: new AbortController().signal };
  try {
    const outcomes = [await one.verify(emails[0]), await other.verify(emails[1], patience)];
    const reasons = outcomes.map((outcome) =>
      outcome.kind === 'verdict' ? outcome.explanation.reason : outcome.kind,
    );
    return { reasons, world: one.world };
  } finally {
    other.close();
    await one.stop();
  }
}

describe('what one engine learns', () => {
  test('a host that turned one away is left alone by the other', async () => {
    const temper: Temper = { refusal: { at: 'banner', reply: '421 4.3.2 come back later' } };
    const { reasons, world } = await askTwoEngines(temper, ['alive@list.test', 'other@list.test']);
    assert.equal(reasons[1], 'host_defers');
    assert.equal(world.counts.smtp.connections, 1);
  });

  test('a provider that blocks one is left alone by the other', async () => {
    const temper: Temper = {
      refusal: { at: 'banner', reply: '554 5.7.1 blocked for poor reputation, see spamhaus' },
    };
    const { reasons, world } = await askTwoEngines(temper, ['alive@list.test', 'other@list.test']);
    assert.equal(reasons[1], 'reputation_doubted');
    assert.equal(world.counts.smtp.connections, 1);
  });

  test('a domain that takes made-up addresses is known to the other, which asks for none', async () => {
    const { reasons, world } = await askTwoEngines({ catchAll: true }, [
      'alive@list.test',
      'other@list.test',
    ]);
    assert.deepEqual(reasons, ['accepts_every_address', 'accepts_every_address']);
    const randomProbes = world.conversations
      .flatMap(({ lines }) => lines)
      .filter((line) => /^C: RCPT/.test(line) && !/<(?:alive|other)@/.test(line));
    assert.equal(randomProbes.length, 1);
  });
});
