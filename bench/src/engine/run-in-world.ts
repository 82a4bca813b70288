/** A world in one process, an engine in another, one measurement; both end with it. */
import { startChild } from '../processes/child.ts';
import { worldModule } from '../processes/world-module.ts';
import { engineModule, type Measured, type VerifyQuestion } from './engine-module.ts';
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

export type Order = Omit<VerifyQuestion, 'kind' | 'world'>;

export async function verifyInWorld(order: Order): Promise<Run> {
  return inWorld(order.population, (engine, world) => engine.ask({ kind: 'verify', world, ...order }));
}

export async function connectInWorld(population: Population, order: { inFlight: number }): Promise<Run> {
  const { addresses: connections, hosts } = population;
  return inWorld(population, (engine, world) =>
    engine.ask({ kind: 'connect', world, connections, hosts, ...order }),
  );
}

type Engine = ReturnType<
  typeof startChild<Parameters<NonNullable<typeof engineModule.answers>>[0], Measured>
>;

async function inWorld(
  population: Population,
  work: (engine: Engine, world: { dnsServer: string; smtpPort: number }) => Promise<Measured>,
): Promise<Run> {
  const internet = startChild(worldModule);
  const engine = startChild(engineModule);
  try {
    const { dnsServer, smtpPort } = await internet.ask({ kind: 'populate', population });
    const measured = await work(engine, { dnsServer, smtpPort });
    const { seen } = await internet.ask({ kind: 'counts' });
    return { ...measured, world: seen };
  } finally {
    await Promise.all([engine.stop(), internet.stop()]);
  }
}
