import { setTimeout as sleep } from 'node:timers/promises';
import { createApiClient } from '../../support/api-client.ts';
import { createDice, type Dice } from './dice.ts';
import { launch, type Home } from './launch.ts';
import { startLoad } from './load.ts';
import { openAccount } from './open-account.ts';
import { openHouse } from './open-house.ts';
import { auditBooks, recover, showBooks } from './recover.ts';
import { serve } from './serve.ts';
import { createWitness, type Witness } from './witness.ts';

/**
 * Pulls the plug of a real service, again and again, at random moments of a mixed load and of its own start, and
 * holds it to all that it acknowledged.
 *
 *     start → recover → load ── SIGKILL ──▶ start → …    (now and then a start is killed too)
 */
export type KillReport = Witness['counts'] & {
  rounds: number;
  kills: number;
  tasks: number;
  violations: string[];
};

type KillRoundsOptions = { rounds: number; seed: number; onRound?: (report: KillReport) => void };

const granted = 20_000;

export async function runKillRounds({ rounds, seed, onRound }: KillRoundsOptions): Promise<KillReport> {
  const { home, close } = await openHouse();
  try {
    const careful = await openAccount(home, { name: 'careful', credits: granted });
    const careless = await openAccount(home, { name: 'careless', credits: granted });
    const witness = createWitness(careful, careless, granted);
    const dice = createDice(seed);
    const tally = { rounds: 0, kills: 0 };
    const report = () => ({
      ...tally,
      ...witness.counts,
      tasks: witness.tasks.length,
      violations: witness.violations,
    });
    const newNumber = createCounter();
    while (tally.rounds < rounds) {
      if (dice.chance(0.25)) tally.kills += await killStart(home, dice);
      await killOnce({ witness, dice, home, newNumber });
      tally.rounds += 1;
      tally.kills += 1;
      onRound?.(report());
    }
    await endWell({ witness, dice, home });
    return report();
  } finally {
    await close();
  }
}

type RoundParts = { witness: Witness; dice: Dice; home: Home; newNumber: () => number };

const shortestLoadMs = 50;
const longestLoadMs = 700;
const longestStartMs = 1_500;

async function killOnce({ witness, dice, home, newNumber }: RoundParts): Promise<void> {
  const serving = await serve(home);
  const caller = createApiClient(serving.url);
  const parts = { witness, caller, dice, home, newNumber, grants: true };
  const audited = auditBooks(parts);
  await recover(parts, { everything: false });
  const load = startLoad(parts);
  await sleep(shortestLoadMs + dice.below(longestLoadMs - shortestLoadMs));
  await Promise.all([serving.kill(), load.end(), audited]);
  caller.close();
}

/** Somewhere between the first instruction and the tasks it takes up again. */
async function killStart(home: Home, dice: Dice): Promise<1> {
  const starting = launch(['serve'], { ...home, environment: { ...home.environment, MAILPROOF_PORT: '0' } });
  await sleep(dice.below(longestStartMs));
  starting.signal('SIGKILL');
  await starting.ended;
  return 1;
}

/** The last start is held to everything, and ends when it is asked to. */
async function endWell(parts: Omit<RoundParts, 'newNumber'>): Promise<void> {
  const serving = await serve(parts.home);
  const caller = createApiClient(serving.url);
  await recover({ ...parts, caller }, { everything: true });
  await auditBooks(parts);
  await showBooks(parts);
  caller.close();
  const code = await serving.stop();
  if (code !== 0) parts.witness.violations.push(`asked to end, it ended with ${String(code)}`);
}

function createCounter(): () => number {
  let last = 0;
  return () => (last += 1);
}
