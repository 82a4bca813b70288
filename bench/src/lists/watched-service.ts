/** Processes of the service whose memory and event loops are watched from one phase to the next. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '../../../service/test/support/mailproof.ts';
import type { LoopDelay } from '../engine/watch-loop.ts';
import { startMailproof } from '../processes/start-mailproof.ts';

export type ProcessFigures = {
  role: Role;
  /** The most memory it ever had resident in the phase (VmHWM). */
  peakMb: number;
  /** The longest that its event loop stood still, by the clock and by the processor time of its thread. */
  stallMs: number;
  stallCpuMs: number;
  /** The latter in moments when the host of a virtual machine gave nothing to others. */
  stallOwnCpuMs: number;
};

type Role = 'all' | 'api' | 'worker';

export type WatchedService = {
  url: string;
  /** Forgets what was seen until now. */
  beginPhase: () => Promise<void>;
  endPhase: () => Promise<ProcessFigures[]>;
  stop: () => Promise<void>;
};

const preload = join(import.meta.dirname, 'loop-watch-process.ts');
const answersWithinMs = 60_000;

export async function startWatchedService(
  roles: readonly Role[],
  { env, folder }: { env: Settings; folder: string },
): Promise<WatchedService> {
  const settings = {
    ...env,
    NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${preload}`,
    BENCH_LOOP_FOLDER: folder,
  };
  const processes = await Promise.all(
    roles.map(async (role) => {
      const started = await startMailproof({ role, env: settings, logFile: join(folder, `${role}.log`) });
      return { role, ...started };
    }),
  );
  const port = processes.find((one) => one.port !== 0)?.port ?? 0;
  return {
    url: `http://127.0.0.1:${port}`,
    beginPhase: async () => {
      for (const { pid } of processes) {
        await readLoop(folder, pid);
        forgetPeak(pid);
      }
    },
    endPhase: () =>
      Promise.all(
        processes.map(async ({ role, pid }) => {
          const loop = await readLoop(folder, pid);
          return {
            role,
            peakMb: peakMb(pid),
            stallMs: loop.loopDelayMaxMs,
            stallCpuMs: loop.loopWorkMaxMs,
            stallOwnCpuMs: loop.loopOwnWorkMaxMs,
          };
        }),
      ),
    stop: async () => {
      await Promise.all(processes.map((one) => one.stop()));
    },
  };
}

async function readLoop(folder: string, pid: number): Promise<LoopDelay> {
  const file = join(folder, `loop-${pid}`);
  const before = linesOf(file).length;
  process.kill(pid, 'SIGUSR2');
  const until = performance.now() + answersWithinMs;
  while (performance.now() < until) {
    const last = linesOf(file)[before];
    if (last !== undefined) return JSON.parse(last) as LoopDelay;
    await pause(5);
  }
  throw new Error(`process ${pid} does not tell how its event loop is`);
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

/** Sets VmHWM back to what is resident now (proc(5), clear_refs). */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function peakMb(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}
