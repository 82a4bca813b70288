import { setTimeout as sleep } from 'node:timers/promises';
import { createApiClient } from '../../support/api-client.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { startLoad } from './load.ts';
import { auditBooks, recover, showBooks } from './recover.ts';
import { createExpectations, type Expectations } from './expectations.ts';
import type { Fixture } from '../../support/open-fixture.ts';
import { startMailproof } from '../../support/mailproof.ts';
import { openLoadFixture } from './load-world.ts';

/**
 * Kills a real service again and again, at random moments of a mixed load and of its own start, and holds it to
 * everything that it acknowledged.
 *
 *     start → recover → load ── SIGKILL ──▶ start → …    (now and then a start is killed too)
 */
export type KillReport = Expectations['counts'] & {
  rounds: number;
  kills: number;
  tasks: number;
  violations: string[];
};

type KillRoundsOptions = { rounds: number; seed: number; onRound?: (report: KillReport) => void };

const granted = 20_000;

export async function runKillRounds({ rounds, seed, onRound }: KillRoundsOptions): Promise<KillReport> {
  const fixture = await openLoadFixture();
  try {
    const careful = await fixture.openAccount({ name: 'careful', credits: granted });
    const careless = await fixture.openAccount({ name: 'careless', credits: granted });
    const expected = createExpectations(careful, careless, granted);
    const random = createRandom(seed);
    const tally = { rounds: 0, kills: 0 };
    const report = () => ({
      ...tally,
      ...expected.counts,
      tasks: expected.tasks.length,
      violations: expected.violations,
    });
    const newNumber = createCounter();
    while (tally.rounds < rounds) {
      if (random.chance(0.25)) tally.kills += await killStart(fixture, random);
      await killOnce({ expected, random, fixture, newNumber });
      tally.rounds += 1;
      tally.kills += 1;
      onRound?.(report());
    }
    await endWell({ expected, random, fixture });
    return report();
  } finally {
    await fixture.close();
  }
}

type RoundParts = { expected: Expectations; random: Random; fixture: Fixture; newNumber: () => number };

const shortestLoadMs = 50;
const longestLoadMs = 700;
const longestStartMs = 1_500;

async function killOnce({ expected, random, fixture, newNumber }: RoundParts): Promise<void> {
  const serving = await fixture.serve();
  const client = createApiClient(serving.url);
  const parts = { expected, client, random, fixture, newNumber, grants: true };
  const audited = auditBooks(parts);
  await recover(parts, { everything: false });
  const load = startLoad(parts);
  await sleep(shortestLoadMs + random.below(longestLoadMs - shortestLoadMs));
  await Promise.all([serving.kill(), load.end(), audited]);
  client.close();
}

/** Kills a start between its first instruction and the recovery of its tasks. */
async function killStart(fixture: Fixture, random: Random): Promise<1> {
  const starting = startMailproof(['serve'], { env: fixture.env });
  await sleep(random.below(longestStartMs));
  await starting.kill();
  return 1;
}

/** Checks everything after the last start, and stops it regularly. */
async function endWell(parts: Omit<RoundParts, 'newNumber'>): Promise<void> {
  const serving = await parts.fixture.serve();
  const client = createApiClient(serving.url);
  await recover({ ...parts, client }, { everything: true });
  await auditBooks(parts);
  await showBooks(parts);
  client.close();
  const code = await serving.stop();
  if (code !== 0) parts.expected.violations.push(`asked to end, it ended with ${String(code)}`);
}

function createCounter(): () => number {
  let last = 0;
  return () => (last += 1);
}
