import type { Clock, Engine } from '@mailproof/engine';
import { Type } from 'typebox';
import type { Store } from '../../db/store.ts';
import { StoreUnavailableError } from '../../db/store-unavailable-error.ts';
import type { WallClock } from '../../db/wall-clock.ts';
import { describeResolver } from '../../operator/read-health.ts';
import type { EgressKeeper } from '../../probers/keep-egress.ts';
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
  description: 'Looks at the store, the resolver and the way to mail hosts, once a second at most.',
  tags: ['Operation'],
  response: {
    200: Type.Object(
      { status: Type.Literal('ready'), checking: Type.Optional(Type.Array(Type.String())) },
      {
        title: 'Ready',
        description:
          'The service can serve requests; `checking` says what of the store is still being looked at since the start',
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

function readyAnswer({ checking }: Readiness & { ready: true }) {
  return { status: 'ready' as const, ...(checking === undefined ? {} : { checking }) };
}

type ReadinessParts = {
  store: Pick<Store, 'check'>;
  engine: Pick<Engine, 'health'>;
  egress: Pick<EgressKeeper, 'problem'>;
  clock: Pick<Clock, 'now'>;
  wallClock: WallClock;
  /** What is being looked at since the start, and what was found. */
  upkeep: { checking: () => string[]; problems: () => string[] };
};

/** Anybody may ask, and the answer takes a write, so the store is checked once a second at most. */
const rememberMs = 1_000;

export function createReadiness(parts: ReadinessParts): () => Promise<Readiness> {
  const { store, engine, egress, clock, wallClock, upkeep } = parts;
  let known: { readiness: Promise<Readiness>; until: number } | undefined;

  async function checkAll(): Promise<Readiness> {
    try {
      await store.check(wallClock.now());
      const found = [describeResolver(engine.health().resolver), egress.problem(), ...upkeep.problems()];
      const problems = found.filter((problem) => problem !== undefined);
      if (problems.length > 0) return { ready: false, problems };
      const checking = upkeep.checking();
      return checking.length === 0 ? { ready: true } : { ready: true, checking };
    } catch (error) {
      if (error instanceof StoreUnavailableError) return { ready: false, problems: [error.message] };
      throw error;
    }
  }

  return () => {
    if (known === undefined || clock.now() >= known.until) {
      known = { readiness: checkAll(), until: clock.now() + rememberMs };
    }
    return known.readiness;
  };
}
