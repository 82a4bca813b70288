import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { meet } from '../../test/support/meet.ts';
import { fuzzHost } from '../tempers.ts';
import { fuzzAct, seededRandom, wire } from './act.ts';

const right = { kind: 'say', text: wire('250 2.1.5 Ok'), then: 'next' } as const;

function story(seed: number): string {
  const random = seededRandom(seed);
  return JSON.stringify(Array.from({ length: 20 }, () => fuzzAct(random, right)));
}

describe('a fuzzing host', () => {
  test('tells the same story for the same seed, and another for another', () => {
    assert.equal(story(7), story(7));
    const stories = new Set(Array.from({ length: 200 }, (_, seed) => story(seed)));
    assert.equal(stories.size, 200);
  });

  test('does everything an act can be', () => {
    const random = seededRandom(1);
    const kinds = new Set(Array.from({ length: 2_000 }, () => fuzzAct(random, right).kind));
    assert.deepEqual([...kinds].sort(), ['drip', 'fall_silent', 'mislead', 'pour', 'reset', 'say']);
  });

  test('goes another way in each conversation and says by which seed to repeat it', async () => {
    const banners: string[][] = [];
    let secondSeed: number | undefined;
    await meet(fuzzHost(3), async ({ world, another }) => {
      await another();
      while (world.conversations.length < 2) await new Promise((resolve) => setImmediate(resolve));
      while (world.conversations[1]!.lines.length === 0)
        await new Promise((resolve) => setImmediate(resolve));
      secondSeed = world.conversations[1]!.seed;
      banners.push(world.conversations[1]!.lines);
    });
    assert.notEqual(secondSeed, 3);
    await meet(fuzzHost(secondSeed!), async ({ world }) => {
      while ((world.conversations[0]?.lines.length ?? 0) === 0)
        await new Promise((resolve) => setImmediate(resolve));
      banners.push(world.conversations[0]!.lines);
    });
    assert.deepEqual(banners[0], banners[1]);
  });
});
