/** A world in one process, an engine in another, one measurement; both end with it. */
import { startChild, type Child } from '../processes/child.ts';
import { worldModule, type WorldAnswer, type WorldQuestion } from '../processes/world-module.ts';
import {
  engineModule,
  type EngineQuestion,
  type Measured,
  type PrepareQuestion,
  type VerifyQuestion,
} from './engine-module.ts';
import { idleModule, type IdleQuestion } from './idle-module.ts';
import type { Population } from './population.ts';
import type { LoopDelay } from './watch-loop.ts';

export type Run = Measured & {
  /** As the world saw it. */
  world: {
    dnsQueries: number;
    connections: number;
    roundTrips: number;
    mostOpen: number;
    violations: number;
  };
  /** The loop of a process that had nothing to do meanwhile. */
  idle: LoopDelay;
};

export type Order = Omit<PrepareQuestion, 'kind' | 'world'> & Omit<VerifyQuestion, 'kind'>;

export async function verifyInWorld({
  population,
  inFlight,
  beginPerSecond,
  ...engineOrder
}: Order): Promise<Run> {
  return inWorld(population, async ({ engine, internet, bystander, world }) => {
    await engine.ask({ kind: 'prepare', world, ...engineOrder });
    await bystander.ask({ kind: 'begin' });
    // What the preparation cost is forgotten.
    await internet.ask({ kind: 'counts' });
    return engine.ask({
      kind: 'verify',
      population,
      inFlight,
      ...(beginPerSecond === undefined ? {} : { beginPerSecond }),
    });
  });
}

export async function connectInWorld(population: Population, order: { inFlight: number }): Promise<Run> {
  const { addresses: connections, hosts } = population;
  return inWorld(population, async ({ engine, bystander, world }) => {
    await bystander.ask({ kind: 'begin' });
    return engine.ask({ kind: 'connect', world, connections, hosts, ...order });
  });
}

type Fixture = {
  engine: Child<EngineQuestion, Measured | undefined>;
  internet: Child<WorldQuestion, WorldAnswer>;
  bystander: Child<IdleQuestion, LoopDelay | undefined>;
  world: { dnsServer: string; smtpPort: number };
};

async function inWorld(
  population: Population,
  work: (fixture: Fixture) => Promise<Measured | undefined>,
): Promise<Run> {
  const internet = startChild(worldModule);
  const engine = startChild(engineModule);
  const bystander = startChild(idleModule);
  try {
    const { dnsServer, smtpPort } = await internet.ask({ kind: 'populate', population });
    const fixture = { engine, internet, bystander, world: { dnsServer, smtpPort } };
    const measured = await work(fixture);
    const idle = await bystander.ask({ kind: 'end' });
    if (measured === undefined || idle === undefined) throw new Error('nothing was measured');
    const { seen } = await internet.ask({ kind: 'counts' });
    return { ...measured, world: seen, idle };
  } finally {
    await Promise.all([engine.stop(), internet.stop(), bystander.stop()]);
  }
}
