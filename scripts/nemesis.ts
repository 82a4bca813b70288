import { parseArgs } from 'node:util';
import { createRandom } from '../service/test/support/random.ts';
import { faultKinds, type FaultKind } from '../service/test/faults/nemesis/faults.ts';
import { runNemesis, type NemesisReport } from '../service/test/faults/nemesis/run-nemesis.ts';

/**
 * `npm run nemesis`: three APIs and three workers on a PostgreSQL of their own, under load and under random faults, for
 * `--minutes`. The seed is printed; with `--seed` the same faults come again. Ends with 1 where a promise was broken.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});

/** Two or three at a time, drawn so that each kind comes as often as any other. */
function* drawRounds(seed: number, until: number): Generator<FaultKind[]> {
  const random = createRandom(seed);
  let bag: FaultKind[] = [];
  while (performance.now() < until) {
    const round = new Set<FaultKind>();
    for (let count = 2 + random.below(2); count > 0; count -= 1) {
      if (bag.length === 0) bag = [...faultKinds];
      round.add(bag.splice(random.below(bag.length), 1)[0] ?? 'kill_api');
    }
    yield [...round];
  }
}

const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1_000);

function describe({ violations, faults, ...figures }: NemesisReport): string {
  const list = Object.entries({ ...figures, ...faults, violations: violations.length, seconds: seconds() });
  return list.map(([name, figure]) => `${name} ${figure}`).join(', ');
}

const seed = Number(values.seed);
process.stdout.write(`nemesis, seed ${seed}, ${values.minutes} minutes\n`);
const report = await runNemesis({
  seed,
  schedule: drawRounds(seed, startedAt + Number(values.minutes) * 60_000),
  onRound: (soFar, kinds) => {
    const { rounds, violations } = soFar;
    process.stdout.write(
      `round ${rounds}, ${seconds()} s: ${kinds.join(' + ')}, ${violations.length} violations\n`,
    );
  },
});
process.stdout.write(`${describe(report)}\n`);
for (const violation of report.violations.slice(0, 50)) process.stdout.write(`violation: ${violation}\n`);
process.exitCode = report.violations.length === 0 ? 0 : 1;
