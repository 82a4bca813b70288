import { statfs } from 'node:fs/promises';
import type { Clock, Engine } from '@mailproof/engine';
import type { Config } from '../../core/config/config.ts';
import type { Store } from '../../core/store/store.ts';
import type { StoreWatch } from '../../core/upkeep/store-watch.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import type { LogRequest } from '../../core/http/pipeline/log-request.ts';
import type { AdmitAnswer, OverloadGuard, WorkKind } from '../../core/http/pipeline/overload-guard.ts';
import type { MetricsHttp } from './metrics-parts.ts';
import type { Metrics, MetricSample } from './create-metrics.ts';
import { createStoreFigures } from './create-store-figures.ts';
import { createBackupFigure } from './create-backup-figure.ts';
import { readEngineFigures } from './read-engine-figures.ts';
import { watchRequests } from './watch-events.ts';
import type { WorkerWatch } from '../../core/upkeep/worker-watch.ts';
import type { EgressReadiness } from '../../core/http/routes/health.ts';
import { createAdminToken } from '../../core/keys/admin-token.ts';
import { serveMetrics } from './serve-metrics.ts';

type MetricsParts = {
  metrics: Metrics;
  store: Store;
  storeWatch: StoreWatch;
  workers: WorkerWatch;
  engine: Engine;
  egress: EgressReadiness;
  clock: Clock;
  wallClock: WallClock;
  onProblem: (message: string, error?: unknown) => void;
};

type OpenMetrics = {
  /** For the API's own port: there with a token and without a port of its own. */
  route: MetricsHttp['metrics'];
  /** Where they are served on a port of their own. */
  url: string | undefined;
  /** Has requests timed, where somebody can ask for it. */
  timed: (logRequest: LogRequest) => LogRequest;
  stop: () => Promise<void>;
};

/** Where the figures are served, if anywhere: without a port and a token there is nothing to ask for them. */
export async function openMetrics(config: Config, parts: MetricsParts): Promise<OpenMetrics> {
  const { metrics, store, engine, egress, clock, wallClock, onProblem } = parts;
  const token = createAdminToken(config.metricsToken);
  const isServed = config.features.includes('metrics') && (config.metricsPort !== undefined || token.isSet);
  if (!isServed)
    return {
      route: undefined,
      url: undefined,
      timed: (logRequest) => logRequest,
      stop: () => Promise.resolve(),
    };
  metrics.addSource(() => readEngineFigures(engine, wallClock));
  metrics.addSource(createStoreFigures(parts));
  metrics.addSource(createBackupFigure({ store, clock }));
  metrics.addSource(() => [
    { key: 'egressAvailable', labels: {}, value: egress.problem() === undefined ? 1 : 0 },
  ]);
  metrics.addSource(() => readDiskFigures(config.dataDir));
  // The library takes 5 MB and a while to load, which only those pay who ask for figures.
  const { createExposition } = await import('./create-exposition.ts');
  const exposition = createExposition(metrics);
  const served = await serveMetrics(config, { exposition, token, onProblem });
  return {
    route: served === undefined ? { token, exposition } : undefined,
    url: served?.url,
    timed: (logRequest) => timeRequests(logRequest, metrics),
    stop: async () => served?.stop(),
  };
}

async function readDiskFigures(dataDir: string): Promise<MetricSample[]> {
  const { bavail, blocks, bsize } = await statfs(dataDir);
  return [
    { key: 'diskFree', labels: {}, value: bavail * bsize },
    { key: 'diskSize', labels: {}, value: blocks * bsize },
  ];
}

/** Times every request where its one log line is written, whether lines are written or not. */
function timeRequests(logRequest: LogRequest, metrics: Metrics): LogRequest {
  const note = watchRequests(metrics);
  return (request, reply, context) => {
    const { route, startedAt } = context;
    const ms = performance.now() - startedAt;
    note({ method: request.method, route, status: reply.statusCode, ms });
    logRequest(request, reply, context);
  };
}

export function countRefusals(guard: OverloadGuard, metrics: Metrics): OverloadGuard {
  function note(kind: WorkKind, answer: AdmitAnswer): AdmitAnswer {
    if (answer.kind === 'refused')
      metrics.count('overloadRefusals', { kind, why: guard.isDraining() ? 'drain' : 'overload' });
    return answer;
  }
  return {
    ...guard,
    admit: (kind, asker) => {
      const answer = guard.admit(kind, asker);
      return answer instanceof Promise ? answer.then((late) => note(kind, late)) : note(kind, answer);
    },
  };
}
