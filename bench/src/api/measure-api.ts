/** Takes every measure with every database, ours and the other side in turn. */
import { startChild } from '../processes/child.ts';
import { bareModule } from './bare-module.ts';
import { compare, drivePairs, type Comparison, type Effort, type Pair, type Server } from './compare.ts';
import { measureGroups, prepareMeasure, type Measure, type MeasureId } from './measures.ts';
import { startService, type ServiceUnderTest } from './start-service.ts';
import { openSurroundings, type DatabaseKind, type Surroundings } from './surroundings.ts';
import { wireRequest } from './wire-request.ts';

export type ApiResults = Partial<Record<DatabaseKind, Comparison[]>>;

type MeasureOptions = {
  ids: MeasureId[];
  databases: DatabaseKind[];
  /** Another checkout, in place of the bare route. */
  against: string | undefined;
  profileFolder: string | undefined;
  effort: Effort;
};

export async function measureApi(options: MeasureOptions): Promise<ApiResults> {
  const results: ApiResults = {};
  for (const database of options.databases) {
    const surroundings = await openSurroundings(database);
    try {
      const comparisons: Comparison[] = [];
      for (const { pacing, ids } of measureGroups) {
        const wanted = ids.filter((id) => options.ids.includes(id));
        if (wanted.length === 0) continue;
        comparisons.push(...(await measureGroup(wanted, { ...options, database, surroundings, pacing })));
      }
      results[database] = comparisons;
    } finally {
      await surroundings.stop();
    }
  }
  return results;
}

type GroupOptions = MeasureOptions & {
  database: DatabaseKind;
  surroundings: Surroundings;
  pacing: 'on' | 'off';
};

async function measureGroup(ids: MeasureId[], options: GroupOptions): Promise<Comparison[]> {
  const measured = new Map<MeasureId, Measured>();
  const { database, effort } = options;
  const { starts } = effort;
  for (let start = 1; start <= starts; start += 1) {
    process.stderr.write(`${database}, start ${start} of ${starts}: ${ids.join(', ')} …\n`);
    for (const { measure, pairs } of await measureOnce(ids, options)) {
      const before = measured.get(measure.id)?.pairs ?? [];
      measured.set(measure.id, { measure, pairs: [...before, ...pairs] });
    }
  }
  return [...measured.values()].map(({ measure, pairs }) => compare(measure, pairs));
}

type Measured = { measure: Measure; pairs: Pair[] };

/** With both sides just started. */
async function measureOnce(ids: MeasureId[], options: GroupOptions): Promise<Measured[]> {
  const { profileFolder, against, effort, ...service } = options;
  const ours = await startService({ ...service, profileFolder });
  const other =
    against === undefined
      ? bareRoutes()
      : otherService(await startService({ ...service, checkout: against }));
  try {
    const measured: Measured[] = [];
    for (const id of ids) {
      const measure = await prepareMeasure(ours, id);
      const servers = { ours: { ...ours, request: measure.request }, other: await other.serve(measure) };
      measured.push({ measure, pairs: await drivePairs(measure, servers, effort) });
    }
    return measured;
  } finally {
    await Promise.all([other.stop(), ours.stop()]);
  }
}

/** The side that ours is set against. */
type OtherSide = { serve(measure: Measure): Promise<Server>; stop(): Promise<void> };

/** A route that takes the same and answers the same, and does nothing else. */
function bareRoutes(): OtherSide {
  const started: { stop(): Promise<void> }[] = [];
  return {
    serve: async ({ id, asked, first }) => {
      const bare = startChild(bareModule);
      started.push(bare);
      const path = `/bare/${id}`;
      const { port } = await bare.ask([{ method: asked.method, path, ...first }]);
      return { port, pid: bare.pid, request: wireRequest({ ...asked, path, key: 'mp_live_none' }) };
    },
    stop: async () => {
      await Promise.all(started.map((bare) => bare.stop()));
    },
  };
}

function otherService(service: ServiceUnderTest): OtherSide {
  return {
    serve: async ({ id }) => ({ ...service, request: (await prepareMeasure(service, id)).request }),
    stop: () => service.stop(),
  };
}
