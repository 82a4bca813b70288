import { parseArgs } from 'node:util';
import { runKillRounds, type KillReport } from '../service/test/faults/endurance/kill-rounds.ts';
import { runTwinRounds } from '../service/test/faults/endurance/twin-rounds.ts';

/**
 * `npm run kills`: the plug of the service is pulled at random moments under load, and identical requests come all at
 * once. `npm run test:faults` runs the same in small. Ends with 1 where a promise was broken.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    twins: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
  },
});

async function kill(rounds: number, seed: number): Promise<boolean> {
  const startedAt = performance.now();
  const say = ({ violations, ...figures }: KillReport) => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    write({ ...figures, violations: violations.length, seconds });
  };
  const onRound = (soFar: KillReport) => {
    if (soFar.rounds % 10 === 0 && soFar.rounds < rounds) say(soFar);
  };
  const report = await runKillRounds({ rounds, seed, onRound });
  say(report);
  for (const violation of report.violations.slice(0, 50)) process.stdout.write(`violation: ${violation}\n`);
  return report.violations.length === 0;
}

function write(figures: Record<string, number>): void {
  const list = Object.entries(figures).map(([name, figure]) => `${name} ${figure}`);
  process.stdout.write(`${list.join(', ')}\n`);
}

const held = await kill(Number(values.rounds), Number(values.seed));
process.stdout.write('identical requests, twenty at once\n');
write(await runTwinRounds(Number(values.twins)));
process.exitCode = held ? 0 : 1;
