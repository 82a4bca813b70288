import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { doubtfulCrowds, type Crowd } from '@mailproof/world';
import type { Outcome } from '../../src/verify.ts';
import { oneHost, startEngine, type EngineInWorld } from '../support/start-engine.ts';

/** Twelve addresses at each doubtful place, asked for one by one and as lists of several sizes. */

const limits = { rcptMs: 1_000, bulkRcptMs: 1_000, quitMs: 500 };
const list = { urgency: 'bulk', account: 'list' } as const;
const sizes = [2, 5, 12];

type Person = Crowd['people'][number];

async function atPlace(
  { world }: Crowd,
  work: (running: EngineInWorld) => Promise<string[]>,
): Promise<string[]> {
  const running = await startEngine(world, { limits });
  try {
    return await work(running);
  } finally {
    await running.stop();
  }
}

/** Returns a line for a conclusive verdict that contradicts the truth. */
function contradiction({ address, right }: Person, outcome: Outcome): string[] {
  const status = outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;
  if (status === 'unknown' || status === right) return [];
  return [`${address} ${status} ${JSON.stringify(outcome)}`];
}

async function askInTurn(people: readonly Person[], { verify }: EngineInWorld): Promise<string[]> {
  const wrong: string[] = [];
  for (const person of people) wrong.push(...contradiction(person, await verify(person.address)));
  return wrong;
}

async function askAtOnce(people: readonly Person[], { verify }: EngineInWorld): Promise<string[]> {
  const wrong = people.map(async (person) =>
    contradiction(person, await verify(person.address, { asker: list })),
  );
  return (await Promise.all(wrong)).flat();
}

describe('no conclusive verdict contradicts the truth', { concurrency: 6 }, () => {
  for (const crowd of doubtfulCrowds) {
    const { domain, people } = crowd;
    test(`${domain}, one after the other`, async () => {
      const wrong = await atPlace(crowd, (running) => askInTurn(people.slice(0, 4), running));
      assert.deepEqual(wrong, []);
    });
    for (const size of sizes)
      test(`${domain}, a list of ${size}`, async () => {
        const wrong = await atPlace(crowd, (running) => askAtOnce(people.slice(0, size), running));
        assert.deepEqual(wrong, []);
      });
  }
});

test('a lost reply: one that names x.ada is not about ada', async () => {
  const mailboxes = { zed: 'exists', ada: 'exists' } as const;
  for (const place of [2, 3]) {
    const temper = { quirks: [{ kind: 'loses_reply', place }] } as const;
    const crowd = { domain: 'odd.test', world: oneHost('odd.test', { mailboxes, temper }), people: [] };
    const people = [
      { address: 'zed@odd.test', right: 'safe' },
      { address: 'ada@odd.test', right: 'safe' },
      { address: 'x.ada@odd.test', right: 'invalid' },
    ] as const;
    assert.deepEqual(await atPlace(crowd, (running) => askAtOnce(people, running)), []);
  }
});

test('a host that counts invalid recipients is not asked without end', async () => {
  const reply = '550 Too many invalid recipients in this session';
  const temper = {
    replies: { unknown: '550 Recipient not accepted here' },
    quirks: [{ kind: 'counts_refusals', refusals: 1, reply }],
  } as const;
  const mailboxes = { ada: 'exists', bob: 'exists', eve: 'exists' } as const;
  const running = await startEngine(oneHost('odd.test', { mailboxes, temper }), { limits });
  const emails = ['ada', 'bob', 'nobody', 'eve'].map((name) => `${name}@odd.test`);
  await Promise.all(emails.map((email) => running.verify(email, { asker: list })));
  const { connections } = running.world.counts.smtp;
  await running.stop();
  assert.ok(connections <= 3 * emails.length, `${connections} conversations`);
});
