import type { Clock } from '@mailproof/engine';
import { sql } from 'kysely';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { StoreState, StoreWatch } from '../../core/upkeep/store-watch.ts';
import { StoreUnavailableError } from '../../core/store/store-unavailable-error.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import type { WorkerWatch } from '../../core/upkeep/worker-watch.ts';
import { listProbers } from '../probers/list-probers.ts';
import { readTaskQueue } from '../../core/verify/tasks/read-task-queue.ts';
import type { MetricSample } from './create-metrics.ts';

type StoreFiguresParts = {
  store: Pick<Store, 'read' | 'waitMs'>;
  storeWatch: StoreWatch;
  workers: WorkerWatch;
  clock: Clock;
  wallClock: WallClock;
};

/** A scrape is given up after ten seconds, and should hear of the rest before. */
const longestWaitMs = 3_000;

/** However often they are asked for, they are read so seldom: they cost the database a look over all accounts. */
const rememberMs = 10_000;

/** What the database says of the whole installation. It is the same in every process. */
export function createStoreFigures(parts: StoreFiguresParts): () => Promise<MetricSample[]> {
  let known: { samples: Promise<MetricSample[]>; until: number } | undefined;
  return async () => {
    const now = parts.clock.now();
    if (known === undefined || now >= known.until)
      known = { samples: readAll(parts), until: now + rememberMs };
    const [state, workers, figures] = await Promise.all([
      parts.storeWatch.look(),
      parts.workers.count(),
      inTime(known.samples, parts),
    ]);
    return [
      ...availability(state),
      ...(workers === undefined ? [] : [{ key: 'workers', labels: {}, value: workers } as const]),
      ...figures,
      { key: 'storeWaitSeconds', labels: {}, value: parts.store.waitMs() / 1_000 },
    ];
  };
}

/** Says the same as `/readyz`, and which fault it is. */
function availability(state: StoreState): MetricSample[] {
  if (state.kind === 'available') return [{ key: 'storeAvailable', labels: {}, value: 1 }];
  return [
    { key: 'storeAvailable', labels: {}, value: 0 },
    { key: 'storeFault', labels: { fault: state.fault }, value: 1 },
  ];
}

function inTime(samples: Promise<MetricSample[]>, { clock }: StoreFiguresParts): Promise<MetricSample[]> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(longestWaitMs, () => resolve([]));
    void samples.then(resolve, reject).finally(cancel);
  });
}

/** The figures of a store that fails are missing. */
async function readAll(parts: StoreFiguresParts): Promise<MetricSample[]> {
  try {
    const figures = await Promise.all(
      [readTasks, readLists, readWebhooks, readProbers, readAccounts].map((read) => read(parts)),
    );
    return figures.flat();
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return [];
  }
}

async function readTasks(parts: StoreFiguresParts): Promise<MetricSample[]> {
  const { oldestWaitingAt, ...tasks } = await readTaskQueue(parts);
  const ageMs = oldestWaitingAt === undefined ? 0 : Math.max(0, parts.wallClock.now() - oldestWaitingAt);
  return [
    ...(['waiting', 'running'] as const).map((status): MetricSample => ({
      key: 'tasks',
      labels: { status },
      value: tasks[status],
    })),
    { key: 'oldestTaskSeconds', labels: {}, value: ageMs / 1_000 },
  ];
}

/** The states are those of the index `list_at_work`. */
const countLists = statement((db) =>
  db
    .selectFrom('list')
    .select(['state', (eb) => eb.fn.countAll<number>().as('lists')])
    .select(sql<number>`cast(sum(wanted - checked) as bigint)`.as('left'))
    .where(sql<boolean>`state in ('receiving', 'running', 'deleted')`)
    .groupBy('state'),
);

async function readLists({ store }: StoreFiguresParts): Promise<MetricSample[]> {
  const rows = await store.read.all(countLists, {});
  const running = rows.find(({ state }) => state === 'running');
  return [
    ...(['receiving', 'running'] as const).map((state): MetricSample => {
      const value = rows.find((row) => row.state === state)?.lists ?? 0;
      return { key: 'lists', labels: { state }, value };
    }),
    { key: 'listAddressesLeft', labels: {}, value: running?.left ?? 0 },
  ];
}

/** More are enough to know. */
const mostDeliveriesCounted = 10_000;

const countPending = statement((db) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('webhook_delivery')
        .select('webhook_id')
        .where('state', '=', sql.lit('pending'))
        .limit(sql.lit(mostDeliveriesCounted))
        .as('pending'),
    )
    .select((eb) => eb.fn.countAll<number>().as('deliveries')),
);

async function readWebhooks({ store }: StoreFiguresParts): Promise<MetricSample[]> {
  const row = await store.read.first(countPending, {});
  return [{ key: 'webhooksPending', labels: {}, value: row?.deliveries ?? 0 }];
}

async function readProbers(parts: StoreFiguresParts): Promise<MetricSample[]> {
  const enrolled = (await listProbers(parts)).filter(({ state }) => state !== 'invited');
  return enrolled.flatMap(({ name: prober, state, answered, unknown }): MetricSample[] => [
    { key: 'proberWell', labels: { prober }, value: state === 'well' ? 1 : 0 },
    { key: 'proberAnswers', labels: { prober, outcome: 'conclusive' }, value: answered - unknown },
    { key: 'proberAnswers', labels: { prober, outcome: 'unknown' }, value: unknown },
  ]);
}

const creditKinds = ['granted', 'available', 'reserved', 'spent'] as const;

const sumAccounts = statement((db) =>
  db
    .selectFrom('account')
    .select(
      creditKinds.map((kind) => sql<number>`coalesce(cast(sum(${sql.ref(kind)}) as bigint), 0)`.as(kind)),
    )
    .select((eb) => eb.fn.count<number>('frozen_at').as('frozen')),
);

async function readAccounts({ store }: StoreFiguresParts): Promise<MetricSample[]> {
  const row = await store.read.first(sumAccounts, {});
  if (row === undefined) return [];
  return [
    ...creditKinds.map((kind): MetricSample => ({ key: 'credits', labels: { kind }, value: row[kind] })),
    { key: 'frozenAccounts', labels: {}, value: row.frozen },
  ];
}
