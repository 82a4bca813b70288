import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostDescription, WorldDescription } from '@mailproof/world';
import type { EngineMemory, Remembered } from '../../src/memory.ts';
import type { Outcome } from '../../src/verify.ts';
import { startEngine } from '../support/start-engine.ts';

/** Facts about one mail host say nothing of another, and nothing once the host contradicts them. */

const day = 86_400_000;
const strict: HostDescription = { address: '127.44.0.1', mailboxes: { alive: 'exists' } };
const takesAll: HostDescription = { address: '127.44.0.1', temper: { catchAll: true } };
const dead: HostDescription = { address: '127.44.0.1', temper: { dead: true } };
const backup: HostDescription = { address: '127.44.0.2', temper: { catchAll: true } };

function domainAt(first: HostDescription, preference = 20): WorldDescription {
  return {
    zones: {
      'two.test': {
        mx: [
          [10, 'mx1.two.test'],
          [preference, 'mx2.two.test'],
        ],
      },
    },
    hosts: { 'mx1.two.test': first, 'mx2.two.test': backup },
  };
}

function createMemory(): { memory: EngineMemory; pages: Map<string, Remembered> } {
  const pages = new Map<string, Remembered>();
  const learn = (entry: Remembered): void => void pages.set(`${entry.kind} ${entry.key}`, entry);
  return { memory: { load: () => [...pages.values()].filter(({ lifeMs }) => lifeMs > 0), learn }, pages };
}

function told(outcome: Outcome): string {
  if (outcome.kind !== 'verdict') return outcome.kind;
  return `${outcome.verdict.status} ${outcome.explanation.reason}`;
}

/** Asks in a world of its own; `memory` holds the facts of earlier worlds. */
async function ask(world: WorldDescription, memory: EngineMemory, names: string[]): Promise<string[]> {
  const running = await startEngine(world, { memory });
  const answers: string[] = [];
  try {
    for (const name of names) answers.push(told(await running.verify(`${name}@two.test`)));
  } finally {
    await running.stop();
  }
  return answers;
}

describe('a yes counts for the host that said it', () => {
  test('a backup that takes all makes no mailbox safe, though the first host is known to refuse made-up ones', async () => {
    const { memory } = createMemory();
    assert.deepEqual(await ask(domainAt(strict), memory, ['alive']), ['safe mailbox_accepted']);
    assert.deepEqual(await ask(domainAt(dead), memory, ['nobody0', 'nobody1']), [
      'unknown backup_accepts_everything',
      'unknown backup_accepts_everything',
    ]);
  });

  test('nor does it make the domain a catch-all once the first host is back', async () => {
    const { memory } = createMemory();
    await ask(domainAt(dead), memory, ['nobody0']);
    assert.deepEqual(await ask(domainAt(strict), memory, ['alive', 'nobody0']), [
      'safe mailbox_accepted',
      'invalid user_unknown',
    ]);
  });

  test('a host of equal preference is no backup', async () => {
    const { memory } = createMemory();
    assert.deepEqual(await ask(domainAt(dead, 10), memory, ['nobody']), ['catch_all accepts_every_address']);
  });

  test('a backup counts when the preferred host could not be reached for a day', async () => {
    const { memory, pages } = createMemory();
    await ask(domainAt(dead), memory, ['nobody0']);
    const page = pages.get('host_reach mx1.two.test');
    assert.ok(page !== undefined);
    pages.set('host_reach mx1.two.test', { ...page, value: { since: Date.now() - day } });
    assert.deepEqual(await ask(domainAt(dead), memory, ['nobody1']), ['catch_all accepts_every_address']);
  });
});

describe('a fact is dropped as soon as an answer contradicts it', () => {
  test('"takes every address", when the host refuses a mailbox as unknown', async () => {
    const { memory } = createMemory();
    assert.deepEqual(await ask(domainAt(takesAll), memory, ['anyone']), ['catch_all accepts_every_address']);
    assert.deepEqual(await ask(domainAt(strict), memory, ['nobody', 'alive']), [
      'invalid user_unknown',
      'safe mailbox_accepted',
    ]);
  });
});
