import type { Engine } from '@mailproof/engine';
import { Type } from 'typebox';
import type { StoreWatch } from '../../upkeep/store-watch.ts';
import { describeIdentity, describeReputation, describeResolver } from '../../upkeep/closures.ts';
import { noWorkerProblem, type WorkerWatch } from '../../upkeep/worker-watch.ts';
import { errorResponses } from '../schemas/errors.ts';
import { requestIdHeader } from '../schemas/headers.ts';
import { byAnybody } from '../schemas/security.ts';
import type { ApiServer, Readiness, RouteParts } from './http-parts.ts';

/** For load balancers and whoever runs the service: whether the process is alive, and whether it can serve requests. */
const errors = errorResponses(['method_not_allowed'], { credits: false });

const healthzSchema = {
  operationId: 'healthz',
  security: byAnybody,
  summary: 'Whether the process is alive',
  description: 'It asks neither the store nor anybody else.',
  tags: ['Operation'],
  response: {
    200: Type.Object(
      { status: Type.Literal('ok') },
      {
        title: 'Alive',
        description: 'The process is alive',
        headers: requestIdHeader,
        examples: [{ status: 'ok' }],
      },
    ),
    ...errors,
  },
};

const readyzSchema = {
  operationId: 'readyz',
  security: byAnybody,
  summary: 'Whether requests can be served',
  description:
    'Writes to the store, and looks at the resolver, the way to mail hosts and the workers; once a second at most.',
  tags: ['Operation'],
  response: {
    200: Type.Object(
      {
        status: Type.Literal('ready'),
        checking: Type.Optional(Type.Array(Type.String())),
        warnings: Type.Optional(Type.Array(Type.String())),
      },
      {
        title: 'Ready',
        description:
          'The service can serve requests; `checking` says what of the store is still being looked at since the start, `warnings` what does not work all the same: without a worker tasks and lists wait, without a HELO name of our own live verifications are answered with 502, and some egress addresses may be closed because block lists have them',
        headers: requestIdHeader,
        examples: [
          { status: 'ready' },
          { status: 'ready', checking: ['ledger: 120000 of 480000 new entries audited'] },
        ],
      },
    ),
    ...errors,
    503: Type.Object(
      { status: Type.Literal('not_ready'), problems: Type.Array(Type.String()) },
      {
        title: 'NotReady',
        description: 'The service cannot serve requests; `problems` says why',
        headers: requestIdHeader,
        examples: [{ status: 'not_ready', problems: ['draining'] }],
      },
    ),
  },
};

/** HEAD is answered like GET, without the body; the reference need not say so. */
const headOptions = { schema: { hide: true } };

export function addHealth(server: ApiServer, { parts }: Pick<RouteParts, 'parts'>): void {
  const readiness = async (): Promise<Readiness> =>
    parts.overloadGuard.isDraining()
      ? { ready: false, problems: ['draining: the service is shutting down'] }
      : parts.readiness();

  server.route({
    method: 'GET',
    url: '/healthz',
    schema: healthzSchema,
    handler: async (_request, reply) => reply.code(200).send({ status: 'ok' }),
  });
  server.route({
    method: 'GET',
    url: '/readyz',
    schema: readyzSchema,
    handler: async (_request, reply) => {
      const found = await readiness();
      if (found.ready) return reply.code(200).send(readyAnswer(found));
      return reply.code(503).send({ status: 'not_ready', problems: found.problems });
    },
  });
  server.head('/healthz', headOptions, (_request, reply) => reply.code(200).send());
  server.head('/readyz', headOptions, async (_request, reply) =>
    reply.code((await readiness()).ready ? 200 : 503).send(),
  );
}

function readyAnswer({ checking, warnings }: Readiness & { ready: true }) {
  return {
    status: 'ready' as const,
    ...(checking === undefined ? {} : { checking }),
    ...(warnings === undefined ? {} : { warnings }),
  };
}

/** Egress addresses that several processes may ask from, as this one knows them. */
export type EgressReadiness = {
  /** Why nothing can be asked, if that is so. */
  problem: () => string | undefined;
  /** Names of addresses from which public mail hosts are not asked, since HELO name or sender is not proven. */
  unproven: () => string[];
};

type ReadinessParts = {
  storeWatch: StoreWatch;
  workers: WorkerWatch;
  engine: Pick<Engine, 'health'>;
  egress: EgressReadiness;
  /** What is being looked at since the start, and what was found. */
  upkeep: { checking: () => string[]; problems: () => string[] };
};

/** Says what this process has found wrong with its own names, and which addresses of others have the same trouble. */
function identityWarnings(identity: Parameters<typeof describeIdentity>[0], unproven: string[]): string[] {
  const own = describeIdentity(identity);
  if (own !== undefined) return [`${own}; live verifications of their addresses are answered with 502`];
  if (unproven.length === 0) return [];
  return [
    `public mail hosts are not asked from ${unproven.join(', ')}: HELO name or sender not proven; run mailproof doctor there`,
  ];
}

export function createReadiness(parts: ReadinessParts): () => Promise<Readiness> {
  const { storeWatch, workers, engine, egress, upkeep } = parts;
  return async () => {
    const store = await storeWatch.look();
    // Without its database the process knows nothing of the rest.
    if (store.kind === 'unavailable') return { ready: false, problems: [store.problem] };
    const health = engine.health();
    const found = [describeResolver(health.resolver), egress.problem(), ...upkeep.problems()];
    const problems = found.filter((problem) => problem !== undefined);
    if (problems.length > 0) return { ready: false, problems };
    const checking = upkeep.checking();
    // Other requests are served all the same, so no load balancer should turn away.
    const warnings = [
      ...((await workers.count()) === 0 ? [noWorkerProblem] : []),
      ...describeReputation(health),
      ...identityWarnings(health.identity, egress.unproven()),
    ];
    return {
      ready: true,
      ...(checking.length === 0 ? {} : { checking }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  };
}
