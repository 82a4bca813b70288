/** `./mailproof` as its user starts it: a command that answers, or a process that serves and is measured. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

export type Settings = Record<string, string>;

type Mailproof = {
  pid: number;
  /** Where the API listens; 0 where the process is a worker only. */
  port: number;
  stop(): Promise<void>;
};

type Start = {
  role: 'api' | 'worker' | 'all';
  env: Settings;
  /** The checkout whose `./mailproof` is started; this one, if none is named. */
  checkout?: string | undefined;
  /** The log goes to this file, as it would under any supervisor; every request writes its line. */
  logFile: string;
};

const ownCheckout = join(import.meta.dirname, '../../..');
const programOf = (checkout = ownCheckout): string => join(resolve(checkout), 'mailproof');
const startWithinMs = 60_000;

export async function startMailproof({ role, env, checkout, logFile }: Start): Promise<Mailproof> {
  const log = openSync(logFile, 'w');
  const child = spawn(programOf(checkout), ['serve', '--role', role], {
    env,
    stdio: ['ignore', log, 'inherit'],
  });
  closeSync(log);
  const port = await untilItServes(child, logFile);
  return {
    pid: child.pid ?? 0,
    port,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const ready = /"url":"http:\/\/[^"]+:(\d+)","msg":"listening"|"msg":"working"/;

async function untilItServes(child: ChildProcess, logFile: string): Promise<number> {
  for (const startedAt = performance.now(); performance.now() - startedAt < startWithinMs;) {
    const said = ready.exec(readFileSync(logFile, 'utf8'));
    if (said !== null) return Number(said[1] ?? 0);
    if (child.exitCode !== null) break;
    await pause(50);
  }
  child.kill('SIGKILL');
  throw new Error(`the service does not serve: ${readFileSync(logFile, 'utf8').slice(-2_000)}`);
}

export async function runMailproof(
  args: string[],
  env: Settings,
  checkout?: string,
): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(programOf(checkout), [...args, '--json'], { env });
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** What every process of ours needs from the machine, and nothing else of whoever runs the benchmark. */
export function bareEnvironment(): Settings {
  return { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
}
