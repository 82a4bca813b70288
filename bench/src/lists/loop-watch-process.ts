/**
 * Read into a process of the service before anything of its own (`--import`): tells how late its event loop ran. At
 * SIGUSR2 it appends what it has seen since the last time to a file that has the process's number in its name.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { watchLoop } from '../engine/watch-loop.ts';

const folder = process.env['BENCH_LOOP_FOLDER'] ?? '.';
const watch = { running: watchLoop() };

process.on('SIGUSR2', () => {
  const seen = watch.running.stop();
  appendFileSync(join(folder, `loop-${process.pid}`), `${JSON.stringify(seen)}\n`);
  watch.running = watchLoop();
});
