/**
 * A process of the service as its supervisor sees it: started, killed and started again, with every line of its log.
 *
 *     down ──start──▶ up ──kill──▶ down
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** `service` is all in one process. */
export type ProcessName = 'api' | 'worker' | 'prober-1' | 'prober-2' | 'service';

export type SupervisedProcess = {
  name: ProcessName;
  /** The URL of its metrics. */
  metricsUrl: string;
  /** Starts it, again and again if it ends at its start, as a supervisor does. Resolves once it serves. */
  start(): Promise<void>;
  /** Kills it as `kill -9` does; resolves when it is gone. */
  kill(): Promise<void>;
};

type ProcessOrder = {
  name: ProcessName;
  role: 'all' | 'api' | 'worker' | 'prober';
  env: Record<string, string>;
  metricsPort: number;
  /** Aborted: it is not started any more. */
  signal: AbortSignal;
  onLine: (line: string) => void;
};

/** This very program: TypeScript in a checkout, JavaScript in the package. */
const program = join(import.meta.dirname, `../main${extname(import.meta.filename)}`);

const serves = /"msg":"(?:listening|working)"/;

/** A busy machine may take long, and a database that is just back may refuse at first. */
const startWithinMs = 60_000;
const startAgainMs = 1_000;

/** A line of the log that is longer says nothing more. */
const longestLine = 4_000;

/**
 * Kills the process when ours ends, however that happens: a shell beside it waits for the end of its input, which we hold
 * open.
 */
function endWithUs(child: ChildProcess): void {
  const shell = spawn('sh', ['-c', 'cat; kill -9 "$0"', `${child.pid ?? ''}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.once('close', () => shell.kill('SIGKILL'));
  shell.unref();
}

export function createSupervisedProcess(order: ProcessOrder): SupervisedProcess {
  const { name, role, env, metricsPort, signal, onLine } = order;
  let child: ChildProcess | undefined;

  async function startOnce(): Promise<void> {
    signal.throwIfAborted();
    const started = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', program, 'serve', '--role', role],
      {
        env: { ...env, MAILPROOF_METRICS_PORT: `${metricsPort}` },
        stdio: ['ignore', 'pipe', 'pipe'],
        // Ctrl-C is for us, and we end it in order.
        detached: true,
      },
    );
    child = started;
    endWithUs(started);
    const said: string[] = [];
    await new Promise<void>((resolve, reject) => {
      for (const stream of [started.stdout, started.stderr])
        createInterface({ input: stream }).on('line', (line) => {
          onLine(line.slice(0, longestLine));
          if (said.length < 20) said.push(line);
          if (serves.test(line)) resolve();
        });
      started.once('error', reject);
      started.once('close', () => reject(new Error(`${name} ended at its start: ${said.join(' ')}`)));
    });
  }

  async function start(): Promise<void> {
    const giveUpAt = performance.now() + startWithinMs;
    for (;;) {
      try {
        await startOnce();
        return;
      } catch (error) {
        if (signal.aborted || performance.now() > giveUpAt) throw error;
        await sleep(startAgainMs);
      }
    }
  }

  return {
    name,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    start,
    kill: async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'close');
      child.kill('SIGKILL');
      await gone;
    },
  };
}
