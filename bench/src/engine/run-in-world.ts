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
import type { Population } from './population.ts';

export type Run = Measured & {
  /** As the world saw it. */
  world: {
    dnsQueries: number;
    connections: number;
    roundTrips: number;
    mostOpen: number;
    violations: number;
  };
};

export type Order = Omit<PrepareQuestion, 'kind' | 'world'> & Omit<VerifyQuestion, 'kind'>;

export async function verifyInWorld({
  population,
  inFlight,
  beginPerSecond,
  ...engineOrder
}: Order): Promise<Run> {
  return inWorld(population, async ({ engine, internet, world }) => {
    await engine.ask({ kind: 'prepare', world, ...engineOrder });
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
  return inWorld(population, ({ engine, world }) =>
    engine.ask({ kind: 'connect', world, connections, hosts, ...order }),
  );
}

type Scene = {
  engine: Child<EngineQuestion, Measured | undefined>;
  internet: Child<WorldQuestion, WorldAnswer>;
  world: { dnsServer: string; smtpPort: number };
};

async function inWorld(
  population: Population,
  work: (scene: Scene) => Promise<Measured | undefined>,
): Promise<Run> {
  const internet = startChild(worldModule);
  const engine = startChild(engineModule);
  try {
    const { dnsServer, smtpPort } = await internet.ask({ kind: 'populate', population });
    const measured = await work({ engine, internet, world: { dnsServer, smtpPort } });
    if (measured === undefined) throw new Error('nothing was measured');
    const { seen } = await internet.ask({ kind: 'counts' });
    return { ...measured, world: seen };
  } finally {
    await Promise.all([engine.stop(), internet.stop()]);
  }
}
