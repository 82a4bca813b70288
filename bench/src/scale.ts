/**
 * `npm run bench:scale`: bulk verification by one, two and four workers on one PostgreSQL, and what an address costs
 * the database and the worker. See `scale/measure-scaling.ts` and `scale/measure-volume.ts` for what is run.
 */
import { parseArgs } from 'node:util';
import { startBenchPostgres } from './processes/bench-postgres.ts';
import { describeMachine, machineLines } from './results/describe-machine.ts';
import { publish } from './results/publish.ts';
import { describeScaling, describeVolume } from './scale/describe-scale.ts';
import { measureScaling } from './scale/measure-scaling.ts';
import { measureVolume } from './scale/measure-volume.ts';

const { values: wish } = parseArgs({
  options: {
    /** One part alone: scaling or volume. */
    only: { type: 'string' },
    /** A fifth of the addresses. */
    quick: { type: 'boolean', default: false },
    /** Each worker with an egress address of its own: who owns it is asked, through the store. */
    'own-egress': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

const share = wish.quick ? 0.2 : 1;
const ownEgress = wish['own-egress'];
const tell = (message: string): void => void process.stderr.write(`${message} …\n`);
const wanted = (part: string): boolean => wish.only === undefined || wish.only === part;

const machine = describeMachine();
const postgres = await startBenchPostgres();
try {
  const scaling = wanted('scaling') ? await measureScaling({ postgres, share, tell, ownEgress }) : undefined;
  const volume = wanted('volume') ? await measureVolume({ postgres, share, tell, ownEgress }) : undefined;
  const lines = [
    '# Beyond one process',
    '',
    ...machineLines(machine),
    `- PostgreSQL ${postgres.version} on the same machine, durable (\`fsync\` and \`synchronous_commit\` on)`,
    ...(wish.quick ? ['- **at a fifth of the size**'] : []),
    ...(ownEgress
      ? ['- each worker leaves from an egress address of its own, and hands probes to the others']
      : []),
    ...(scaling === undefined ? [] : describeScaling(scaling)),
    ...(volume === undefined ? [] : describeVolume(volume)),
  ];
  const figures = { machine, postgres: postgres.version, share, scaling, volume };
  publish({ name: ownEgress ? 'scale-own-egress' : 'scale', lines, figures }, wish);
} finally {
  await postgres.stop();
}
