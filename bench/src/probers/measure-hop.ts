import { startChild } from '../processes/child.ts';
import type { BenchPostgres } from '../processes/bench-postgres.ts';
import { worldModule } from '../processes/world-module.ts';
import { addressOf, type Population } from '../engine/population.ts';
import { median, quantile } from '../results/numbers.ts';
import { openCentre, type Centre } from './open-centre.ts';

type Times = { median: number; p90: number };

export type HopFigures = {
  database: 'SQLite' | 'PostgreSQL';
  singles: number;
  /** A service that asks mail hosts by itself. */
  itself: Times;
  /** One that can reach none of them, through one prober elsewhere. */
  through: Times;
  addedMs: number;
  wrong: number;
};

const warmUps = 40;
const latencyMs = 20;
/** A guard that lets nothing out to the world: the service itself can reach no mail host. */
const nowhere = { MAILPROOF_EGRESS_ALLOW: '192.0.2.0/24' };

/** The same addresses in turn, one at a time, so that whatever else the machine does slows both. */
export async function measureHop(
  postgres: BenchPostgres,
  { database, singles }: Pick<HopFigures, 'database' | 'singles'>,
): Promise<HopFigures> {
  const addresses = singles + warmUps;
  const population: Population = { addresses, domains: addresses, hosts: 50, latencyMs, ownNames: true };
  const internet = startChild(worldModule);
  const opened: { close: () => Promise<void> }[] = [];
  const urlOf = async (name: string) => {
    if (database === 'SQLite') return {};
    const made = await postgres.createDatabase(name);
    opened.push(made);
    return { databaseUrl: made.url };
  };
  try {
    const { environment } = await internet.ask({ kind: 'populate', population });
    const itself = await openCentre({ ...(await urlOf('itself')), settings: environment, roles: ['all'] });
    opened.push(itself);
    const settings = { ...environment, ...nowhere };
    const through = await openCentre({ ...(await urlOf('through')), settings, roles: ['api'] });
    opened.push(through);
    await through.startProber(environment);
    return { database, singles, ...(await compare({ itself, through }, population)) };
  } finally {
    for (const one of opened.reverse()) await one.close();
    await internet.stop();
  }
}

async function compare({ itself, through }: Record<'itself' | 'through', Centre>, population: Population) {
  const times = { itself: [] as number[], through: [] as number[] };
  let wrong = 0;
  for (let index = 0; index < population.addresses; index += 1) {
    const { email, status } = addressOf(index, population);
    const answers = { itself: await itself.verify(email), through: await through.verify(email) };
    for (const name of ['itself', 'through'] as const) {
      if (answers[name].status !== status) wrong += 1;
      if (index >= warmUps) times[name].push(answers[name].ms);
    }
  }
  const timesOf = (ms: number[]): Times => ({ median: median(ms), p90: quantile(ms, 0.9) });
  return {
    itself: timesOf(times.itself),
    through: timesOf(times.through),
    addedMs: median(times.through) - median(times.itself),
    wrong,
  };
}
