/**
 * `npm run bench:api`: what the service costs over the framework it stands on, with SQLite and with PostgreSQL behind it.
 * Each request is set against a bare route of the same framework in the same run; see `api/compare.ts` for how.
 *
 * With `--against CHECKOUT` it is set against the service of another checkout instead: what a change costs or gains.
 */
import { parseArgs } from 'node:util';
import { describeChange } from './api/describe-change.ts';
import { describeCosts } from './api/describe-costs.ts';
import { measureApi, type ApiResults } from './api/measure-api.ts';
import { measureGroups, type MeasureId } from './api/measures.ts';
import { describeMachine } from './results/describe-machine.ts';
import { publish } from './results/publish.ts';

const { values: wish } = parseArgs({
  options: {
    /** Some measures alone, with commas between them: host, known, running, completed, bulk. */
    only: { type: 'string' },
    /** One database alone: sqlite or postgres. */
    database: { type: 'string' },
    /** A folder with another checkout, its packages installed. */
    against: { type: 'string' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    /** Writes CPU profiles of the service into this folder. */
    profile: { type: 'string' },
    connections: { type: 'string', default: '64' },
  },
});

// In its first seconds a server compiles what it runs, beside its work and on the same cores.
const full = { starts: 3, rounds: 8, roundMs: 750, warmUpMs: 6_000 };
const quick = { starts: 1, rounds: 2, roundMs: 1_000, warmUpMs: 1_000 };
const effort = { ...(wish.quick ? quick : full), connections: Number(wish.connections) };

const machine = describeMachine();
const results: ApiResults = await measureApi({
  ids: idsOf(wish.only ?? (wish.against === undefined ? undefined : 'host,known')),
  databases: (['sqlite', 'postgres'] as const).filter((kind) => (wish.database ?? kind) === kind),
  against: wish.against,
  profileFolder: wish.profile,
  effort,
});
const described = { results, machine, effort };
if (wish.against === undefined) {
  const { sqlite = [], postgres = [] } = results;
  const figures = { machine, effort, comparisons: sqlite, postgres };
  publish({ name: 'api', lines: describeCosts(described), figures }, wish);
} else {
  const lines = describeChange({ ...described, against: wish.against });
  publish({ name: 'api-change', lines, figures: { machine, effort, ...results } }, wish);
}

function idsOf(only: string | undefined): MeasureId[] {
  const all = measureGroups.flatMap(({ ids }) => ids);
  return only === undefined ? all : all.filter((id) => only.split(',').includes(id));
}
