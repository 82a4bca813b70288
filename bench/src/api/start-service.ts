/** The service as its user starts it (`./mailproof serve`), in a small world, with an account that has credits enough. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { WorldDescription } from '@mailproof/world';
import { startChild } from '../processes/child.ts';
import { worldModule } from '../processes/world-module.ts';

export type ServiceUnderTest = { port: number; pid: number; key: string; stop(): Promise<void> };

export const places = {
  /** On the operator's list: a verdict needs DNS, which is cached, and no mail host. */
  disposable: 'throwaway.test',
  /** A host that says "later" to everybody: tasks with its addresses stay running. */
  greylisting: 'greylist.test',
  /** A host that never answers RCPT: those who wait for it cost no time of ours. */
  silent: 'silent.test',
} as const;

const dayS = 86_400;

const world: WorldDescription = {
  zones: {
    [places.disposable]: { mx: [[10, 'mx.throwaway.test']], ttl: dayS },
    'mx.throwaway.test': { ttl: dayS, soaMinimum: dayS },
    [places.greylisting]: { mx: [[10, 'mx.greylist.test']] },
    [places.silent]: { mx: [[10, 'mx.silent.test']] },
  },
  hosts: {
    'mx.throwaway.test': {},
    'mx.greylist.test': { temper: { greylist: { waitMs: 10 * dayS * 1_000, defers: 'everybody' } } },
    'mx.silent.test': { temper: { fault: { phase: 'rcpt', fault: 'silence' } } },
  },
};

const program = join(import.meta.dirname, '../../../mailproof');
const startWithinMs = 60_000;
const credits = 1_000_000_000;

export async function startService(options: {
  profileFolder: string | undefined;
}): Promise<ServiceUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bench-'));
  const internet = startChild(worldModule);
  const { environment } = await internet.ask({ kind: 'start', description: world, options: {} });
  const settings = settingsIn(folder, environment);
  const account = await command(
    ['accounts', 'create', '--name', 'bench', '--credits', `${credits}`],
    settings,
  );
  const { api_key: key } = await command(['keys', 'create', String(account['account_id'])], settings);
  const service = serve(folder, { ...settings, ...profiling(options.profileFolder) });
  const port = await listening(service, join(folder, 'log'));
  return {
    port,
    pid: service.pid ?? 0,
    key: String(key),
    async stop() {
      const ended = once(service, 'exit');
      service.kill('SIGTERM');
      await ended;
      await internet.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

type Settings = Record<string, string>;

function settingsIn(folder: string, environment: Settings): Settings {
  const listed = join(folder, 'disposable.txt');
  writeFileSync(listed, `${places.disposable}\n`);
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    ...environment,
    MAILPROOF_PORT: '0',
    MAILPROOF_DATA_DIR: join(folder, 'data'),
    MAILPROOF_DISPOSABLE_FILE: listed,
    // What is deferred stays so for the length of the run.
    MAILPROOF_DEFER_RETRY_MS: '900000',
  };
}

function profiling(folder: string | undefined): Settings {
  return folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` };
}

/** The log goes to a file, as it would under any supervisor; every request writes its line. */
function serve(folder: string, env: Settings): ChildProcess {
  const log = openSync(join(folder, 'log'), 'w');
  const child = spawn(program, ['serve'], { env, stdio: ['ignore', log, 'inherit'] });
  closeSync(log);
  return child;
}

async function listening(service: ChildProcess, log: string): Promise<number> {
  for (const startedAt = performance.now(); performance.now() - startedAt < startWithinMs;) {
    const [, port] = /"url":"http:\/\/[^"]+:(\d+)","msg":"listening"/.exec(readFileSync(log, 'utf8')) ?? [];
    if (port !== undefined) return Number(port);
    if (service.exitCode !== null) break;
    await pause(50);
  }
  service.kill('SIGKILL');
  throw new Error(`the service does not listen: ${readFileSync(log, 'utf8').slice(-2_000)}`);
}

async function command(args: string[], env: Settings): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(program, [...args, '--json'], { env });
  return JSON.parse(stdout) as Record<string, unknown>;
}
