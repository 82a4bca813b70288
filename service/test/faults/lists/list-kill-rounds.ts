import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../support/random.ts';
import { until } from '../../support/until.ts';
import { openLoadFixture } from '../endurance/load-world.ts';
import { createServiceProcess, type ServiceProcess } from '../nemesis/service-process.ts';
import { startListLoad } from './list-load.ts';
import { settleAccounts } from './settle-accounts.ts';
import type { ListWatch } from './watched-list.ts';

/**
 * Kills real processes at random moments while lists are uploaded, started, paused, resumed, cancelled, deleted and
 * downloaded. The service is held to everything that it acknowledged. On SQLite one process does everything; on
 * PostgreSQL the API and the worker are separate processes and die one by one or together.
 */
type ListKillReport = ListWatch['counts'] & {
  kills: number;
  lists: number;
  started: number;
  violations: string[];
};

type ListKillOptions = { rounds: number; seed: number; database: 'SQLite' | 'PostgreSQL' };

const credits = 1_000_000;
/** A round ends after this many requests, or sooner on a busy machine. */
const requestsAtMost = 60;
const longestLoadMs = 4_000;
const longestPauseMs = 100;

export async function runListKillRounds({
  rounds,
  seed,
  database,
}: ListKillOptions): Promise<ListKillReport> {
  const fixture = await openLoadFixture({ database });
  const random = createRandom(seed);
  const watch: ListWatch = {
    lists: [],
    counts: { requests: 0, lost: 0, downloads: 0, cut: 0, refused: 0 },
    violations: [],
  };
  const onCrash = (what: string): void => void watch.violations.push(what);
  const roles = database === 'SQLite' ? (['all'] as const) : (['api', 'worker'] as const);
  const processes = roles.map((role) =>
    createServiceProcess({ name: role, role, env: fixture.env, onCrash }),
  );
  try {
    const keeper = { ...(await fixture.openAccount({ name: 'keeper', credits })), deletes: false };
    const eraser = { ...(await fixture.openAccount({ name: 'eraser', credits })), deletes: true };
    const owners = [keeper, eraser] as const;
    await Promise.all(processes.map((one) => one.start()));
    const client = () => processes.find(({ role }) => role !== 'worker')?.client();
    const load = startListLoad({ watch, owners, random, newNumber: createCounter(), client });
    let kills = 0;
    for (let round = 0; round < rounds; round += 1) {
      await someLoad(watch, random);
      kills += await killSome(processes, random);
    }
    await load.end();
    const settling = await until(client, (one) => one !== undefined);
    if (settling !== undefined) await settleAccounts({ watch, owners, client: settling, fixture });
    await endWell(processes, watch);
    const started = watch.lists.filter(({ acknowledged }) => acknowledged.has('start')).length;
    return { ...watch.counts, kills, lists: watch.lists.length, started, violations: watch.violations };
  } finally {
    await Promise.all(processes.map((one) => one.kill()));
    await fixture.close();
  }
}

async function someLoad({ counts }: ListWatch, random: Random): Promise<void> {
  const enough = counts.requests + 1 + random.below(requestsAtMost);
  const endsAt = performance.now() + longestLoadMs;
  while (counts.requests < enough && performance.now() < endsAt) await sleep(5);
  await sleep(random.below(longestPauseMs));
}

/** Kills one of the processes, or all of them. */
async function killSome(processes: ServiceProcess[], random: Random): Promise<number> {
  const [first, ...more] = processes;
  if (first === undefined) return 0;
  const dying = random.chance(0.3) ? processes : [random.oneOf([first, ...more])];
  await Promise.all(dying.map((one) => one.kill()));
  await Promise.all(dying.map((one) => one.start()));
  return dying.length;
}

async function endWell(processes: ServiceProcess[], { violations }: ListWatch): Promise<void> {
  for (const one of processes) {
    const code = await one.stop();
    if (code !== 0) violations.push(`asked to end, ${one.name} ended with ${String(code)}`);
    violations.push(...one.defects().map((line) => `defect of ${one.name}: ${line.slice(0, 1_000)}`));
  }
}

function createCounter(): () => number {
  let last = 0;
  return () => (last += 1);
}
