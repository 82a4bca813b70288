import { setTimeout as sleep } from 'node:timers/promises';
import { createCarelessly } from '../endurance/ask.ts';
import { createDice, type Dice } from '../endurance/dice.ts';
import { startLoad, type LoadParts } from '../endurance/load.ts';
import { openAccount } from '../endurance/open-account.ts';
import { auditBooks, recover, showBooks } from '../endurance/recover.ts';
import { createWitness, type Witness } from '../endurance/witness.ts';
import { breaksLines, createNemesis, faultKinds, type FaultKind } from './faults.ts';
import { openFleet, type Fleet } from './fleet.ts';
import { checkHistory, countInDoubt, createHistory, type History } from './history.ts';
import { startKeyHolder } from './key-holder.ts';
import { createSpread } from './spread.ts';
import { watchResults } from './watch-results.ts';

/**
 * Three APIs and three workers on one PostgreSQL, under mixed load and under fault, held to all that they acknowledged.
 *
 *     round: load ▸ faults, side by side ▸ all is up again ▸ nothing under way ▸ history, books and audit
 */
export type NemesisReport = Witness['counts'] & {
  rounds: number;
  faults: Record<FaultKind, number>;
  tasks: number;
  keysDeleted: number;
  /** What workers tried to write about addresses and was refused, by the fence or because there was a result. */
  writesRefused: number;
  /** Answers of 503 to a request whose charge was committed as the database went away; of those, without a key. */
  chargedAtCommit: number;
  chargedOfKeyless: number;
  violations: string[];
};

type NemesisOptions = {
  seed: number;
  /** The faults of each round. */
  schedule: Iterable<readonly FaultKind[]>;
  onRound?: (report: NemesisReport, kinds: readonly FaultKind[]) => void;
};

const granted = 1_000_000;

export async function runNemesis({ seed, schedule, onRound }: NemesisOptions): Promise<NemesisReport> {
  const fleet = await openFleet({ apis: 3, workers: 3 });
  try {
    const careful = await openAccount(fleet.home, { name: 'careful', credits: granted });
    const careless = await openAccount(fleet.home, { name: 'careless', credits: granted });
    const watch = await watchResults(fleet);
    await Promise.all([...fleet.apis, ...fleet.workers].map((member) => member.start()));
    const witness = createWitness(careful, careless, granted);
    const history = createHistory();
    const dice = createDice(seed);
    const parts = {
      witness,
      history,
      dice,
      fleet,
      home: fleet.home,
      grants: false,
      newNumber: createCounter(),
      caller: createSpread(fleet.apis, history),
      tally: createTally(),
    };
    const report = async (): Promise<NemesisReport> => {
      const writes = [...(await watch.byWriter()).values()];
      const writesRefused = writes.reduce((sum, { tried, wrote }) => sum + tried - wrote, 0);
      const twice = await watch.writtenTwice();
      if (twice > 0) witness.violations.push(`${twice} addresses have a result twice`);
      return {
        ...parts.tally,
        ...witness.counts,
        tasks: witness.tasks.length,
        writesRefused,
        violations: [...witness.violations, ...fleet.crashes],
      };
    };
    for (const kinds of schedule) {
      await playRound(parts, kinds);
      onRound?.(await report(), kinds);
    }
    await endWell(parts);
    return await report();
  } finally {
    await fleet.close();
  }
}

type RoundParts = LoadParts & {
  witness: Witness;
  history: History;
  dice: Dice;
  fleet: Fleet;
  tally: ReturnType<typeof createTally>;
};

function createTally() {
  const faults = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>;
  return { rounds: 0, faults, keysDeleted: 0, chargedAtCommit: 0, chargedOfKeyless: 0 };
}

const latestBeginMs = 1_500;
const shortestAfterMs = 500;

async function playRound(parts: RoundParts, kinds: readonly FaultKind[]): Promise<void> {
  const { dice, fleet, tally } = parts;
  const nemesis = createNemesis(fleet, dice);
  if (kinds.includes('stop_worker')) await createLongTasks(parts);
  const load = startLoad(parts);
  const keys = startKeyHolder(parts);
  const inflict = async (kind: FaultKind) => {
    await sleep(dice.below(latestBeginMs));
    await nemesis.inflict(kind);
    tally.faults[kind] += 1;
  };
  try {
    await Promise.all(kinds.map(inflict));
    await sleep(shortestAfterMs + dice.below(latestBeginMs));
  } finally {
    await Promise.all([load.end(), keys.end()]);
  }
  tally.keysDeleted += keys.deleted();
  await check(parts, kinds);
  tally.rounds += 1;
}

const longTasks = 12;

/** So many that each worker has some, about a host that says nothing for a dozen seconds: who is stopped then, holds something. */
async function createLongTasks(parts: RoundParts): Promise<void> {
  const emails = () => [`p${parts.newNumber()}@silent.test`, `p${parts.newNumber()}@catchall.test`];
  const lists = Array.from({ length: longTasks }, emails);
  await Promise.all(lists.map((list) => createCarelessly(parts, { emails: list, accepted: list })));
}

/** All is up; what is under way comes to its end, and is held against what clients were told. */
async function check(parts: RoundParts, kinds: readonly FaultKind[]): Promise<void> {
  const { witness, history, fleet, tally } = parts;
  const { careless } = witness;
  const heard = history.drain();
  careless.perhapsSpent += await countInDoubt(heard, careless, fleet);
  await recover(parts, { everything: false, survivors: true });
  const found = await checkHistory(heard, careless.liveKey, fleet);
  tally.chargedAtCommit += found.chargedAtCommit;
  tally.chargedOfKeyless += found.chargedOfKeyless;
  witness.violations.push(...found.violations);
  if (found.chargedAtCommit > 0 && !kinds.some((kind) => breaksLines.has(kind)))
    witness.violations.push(`${found.chargedAtCommit} refusals were charged, and the database was there`);
  await auditBooks(parts);
}

async function endWell(parts: RoundParts): Promise<void> {
  const { witness, fleet } = parts;
  await recover(parts, { everything: true, survivors: true });
  await showBooks(parts);
  const codes = await Promise.all([...fleet.apis, ...fleet.workers].map((member) => member.stop()));
  if (codes.some((code) => code !== 0))
    witness.violations.push(`asked to end, they ended with ${codes.join(', ')}`);
  await auditBooks(parts);
  const defects = [...fleet.apis, ...fleet.workers].flatMap((member) => member.defects());
  witness.violations.push(...defects);
}

function createCounter(): () => number {
  let last = 0;
  return () => (last += 1);
}
