import { setTimeout as sleep } from 'node:timers/promises';
import { createCarelessly } from '../endurance/requests.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { startLoad, type LoadParts } from '../endurance/load.ts';
import { auditBooks, recover, showBooks } from '../endurance/recover.ts';
import { createExpectations, type Expectations } from '../endurance/expectations.ts';
import { breaksLines, createNemesis, type FaultKind } from './faults.ts';
import { allOf, openInstallation, type Installation } from './open-installation.ts';
import { checkHistory, countInDoubt, createHistory, type History } from './history.ts';
import { startKeyHolder } from './key-holder.ts';
import { balanceCalls } from './balance-calls.ts';
import { watchResults } from './watch-results.ts';

/**
 * Three APIs and three workers on one PostgreSQL, under mixed load and under faults, held to everything that they
 * acknowledged.
 *
 *     round: load ▸ faults, side by side ▸ all is up again ▸ nothing under way ▸ history, books and audit
 */
export type NemesisReport = Expectations['counts'] & {
  rounds: number;
  faults: Partial<Record<FaultKind, number>>;
  tasks: number;
  keysDeleted: number;
  /** Writes of workers about addresses that were refused, by the fence or because there was a result. */
  writesRefused: number;
  /**
   * 503 answers to requests whose charge was committed but not confirmed, because the database was lost or too
   * slow; and those of them without a key.
   */
  chargedAtCommit: number;
  chargedOfKeyless: number;
  violations: string[];
};

type NemesisOptions = {
  seed: number;
  /** Default: none; APIs and workers ask mail hosts themselves. */
  probers?: number;
  /** The faults of each round. */
  schedule: Iterable<readonly FaultKind[]>;
  onRound?: (report: NemesisReport, kinds: readonly FaultKind[]) => void;
};

const granted = 1_000_000;

export async function runNemesis({
  seed,
  probers = 0,
  schedule,
  onRound,
}: NemesisOptions): Promise<NemesisReport> {
  const installation = await openInstallation({ apis: 3, workers: 3, probers });
  try {
    const careful = await installation.openAccount({ name: 'careful', credits: granted });
    const careless = await installation.openAccount({ name: 'careless', credits: granted });
    const watch = await watchResults(installation);
    await Promise.all(allOf(installation).map((one) => one.start()));
    const expected = createExpectations(careful, careless, granted);
    const history = createHistory();
    const random = createRandom(seed);
    const parts = {
      expected,
      history,
      random,
      installation,
      fixture: installation,
      grants: false,
      newNumber: createCounter(),
      client: balanceCalls(installation.apis, history),
      tally: createTally(),
    };
    const report = async (): Promise<NemesisReport> => {
      const writes = [...(await watch.byWriter()).values()];
      const writesRefused = writes.reduce((sum, { tried, wrote }) => sum + tried - wrote, 0);
      const twice = await watch.writtenTwice();
      if (twice > 0) expected.violations.push(`${twice} addresses have a result twice`);
      return {
        ...parts.tally,
        ...expected.counts,
        tasks: expected.tasks.length,
        writesRefused,
        violations: [...expected.violations, ...installation.crashes],
      };
    };
    for (const kinds of schedule) {
      await playRound(parts, kinds);
      onRound?.(await report(), kinds);
    }
    await endWell(parts);
    return await report();
  } finally {
    await installation.close();
  }
}

type RoundParts = LoadParts & {
  expected: Expectations;
  history: History;
  random: Random;
  installation: Installation;
  tally: ReturnType<typeof createTally>;
};

function createTally() {
  const faults: NemesisReport['faults'] = {};
  return { rounds: 0, faults, keysDeleted: 0, chargedAtCommit: 0, chargedOfKeyless: 0 };
}

const latestBeginMs = 1_500;
const shortestAfterMs = 500;

async function playRound(parts: RoundParts, kinds: readonly FaultKind[]): Promise<void> {
  const { random, installation, tally } = parts;
  const nemesis = createNemesis(installation, random, (what) => parts.expected.violations.push(what));
  if (kinds.includes('stop_worker')) await createLongTasks(parts);
  const load = startLoad(parts);
  const keys = startKeyHolder(parts);
  const inflict = async (kind: FaultKind) => {
    await sleep(random.below(latestBeginMs));
    await nemesis.inflict(kind);
    tally.faults[kind] = (tally.faults[kind] ?? 0) + 1;
  };
  try {
    await Promise.all(kinds.map(inflict));
    await sleep(shortestAfterMs + random.below(latestBeginMs));
  } finally {
    await Promise.all([load.end(), keys.end()]);
  }
  tally.keysDeleted += keys.deleted();
  await check(parts, kinds);
  tally.rounds += 1;
}

const longTasks = 12;

/**
 * Creates tasks at a host that is silent for a dozen seconds, enough for every worker: a worker that is stopped
 * then holds some.
 */
async function createLongTasks(parts: RoundParts): Promise<void> {
  const emails = () => [`p${parts.newNumber()}@hesitant.test`, `p${parts.newNumber()}@catchall.test`];
  const lists = Array.from({ length: longTasks }, emails);
  await Promise.all(lists.map((list) => createCarelessly(parts, { emails: list, accepted: list })));
}

/** Waits until all is up and nothing is running, and checks the state against the answers of clients. */
async function check(parts: RoundParts, kinds: readonly FaultKind[]): Promise<void> {
  const { expected, history, installation, tally } = parts;
  const { careless } = expected;
  const heard = history.drain();
  careless.perhapsSpent += await countInDoubt(heard, careless, installation);
  await recover(parts, { everything: false, survivors: true });
  const found = await checkHistory(heard, careless.liveKey, installation);
  tally.chargedAtCommit += found.chargedAtCommit;
  tally.chargedOfKeyless += found.chargedOfKeyless;
  expected.violations.push(...found.violations);
  if (!kinds.some((kind) => breaksLines.has(kind)))
    // A busy database may confirm a commit later than a request can wait; the client then gets an honest refusal.
    for (const { requestId, answered } of found.refusals)
      if (!installation.apis.some((api) => api.saidUnconfirmed(requestId)))
        expected.violations.push(`${answered} ${requestId} was charged, and the database was there`);
  await auditBooks(parts);
}

async function endWell(parts: RoundParts): Promise<void> {
  const { expected, installation } = parts;
  await recover(parts, { everything: true, survivors: true });
  await showBooks(parts);
  const codes = await Promise.all(allOf(installation).map((one) => one.stop()));
  if (codes.some((code) => code !== 0))
    expected.violations.push(`asked to end, they ended with ${codes.join(', ')}`);
  await auditBooks(parts);
  const defects = allOf(installation).flatMap((one) => one.defects());
  expected.violations.push(...defects);
}

function createCounter(): () => number {
  let last = 0;
  return () => (last += 1);
}
