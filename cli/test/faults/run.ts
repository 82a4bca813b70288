import { parseArgs } from 'node:util';
import { runKillRounds } from './kill-rounds.ts';
import { measureCheck } from './measure-check.ts';

/**
 * `npm run endurance --workspace cli -- --kills 50 --kill-rows 10000 --rows 1000000` runs the tests of `check` at any
 * size. Ends with 1 where a promise was broken.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    'kill-rows': { type: 'string', default: '10000' },
    rows: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
  },
});

const [kills, killRows, rows, seed] = [values.kills, values['kill-rows'], values.rows, values.seed].map(
  Number,
);
if (kills !== undefined && kills > 0) {
  const report = await runKillRounds({ kills, rows: killRows ?? 0, seed: seed ?? 1 });
  process.stdout.write(`${JSON.stringify({ rows: killRows, ...report })}\n`);
  if (report.differences.length > 0) process.exitCode = 1;
}
if (rows !== undefined && rows > 0) {
  const measured = await measureCheck(rows);
  const cpuPerRowUs = (1_000 * measured.cpuMs) / rows;
  process.stdout.write(`${JSON.stringify({ ...measured, cpuPerRowUs })}\n`);
  if (measured.rowsWritten !== rows || !measured.spentMatches) process.exitCode = 1;
}
