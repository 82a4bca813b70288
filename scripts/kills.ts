import { parseArgs } from 'node:util';
import { runKillRounds, type KillReport } from '../service/src/endurance/kill-rounds.ts';

/** `npm run kills`: the plug of the service is pulled at random moments under load. `npm test` runs the same in small. */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});
const startedAt = performance.now();

function say({ violations, ...figures }: KillReport): void {
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const list = Object.entries(figures).map(([name, figure]) => `${name} ${figure}`);
  process.stdout.write(`${list.join('  ')}  violations ${violations.length}  after ${seconds} s\n`);
}

const report = await runKillRounds({
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  onRound: (soFar) => {
    if (soFar.rounds % 10 === 0) say(soFar);
  },
});
say(report);
for (const violation of report.violations.slice(0, 50)) process.stdout.write(`violation: ${violation}\n`);
process.exitCode = report.violations.length === 0 ? 0 : 1;
