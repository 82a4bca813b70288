/** `./mailproof` and other programs in separate processes, without the tester's own settings. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { until } from './until.ts';

export const root = join(import.meta.dirname, '../../..');

export type Settings = Record<string, string>;

export type Ended = { code: number | null; stdout: string; stderr: string };

/** A started program, watched from outside. */
export type Started = {
  /** Without stdout if that goes to a file. */
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Returns its output so far. */
  stdout: () => string;
  stderr: () => string;
  /** Resolves at its end: its exit code (null after a signal) and its output. */
  ended: Promise<Ended>;
  /** Resolves once stdout matches; fails if the program ends before. */
  wrote: (wanted: RegExp) => Promise<RegExpExecArray>;
  /** Kills it (SIGKILL). */
  kill: () => Promise<void>;
  /** Asks it to end (SIGTERM), and returns its exit code. */
  stop: () => Promise<number | null>;
};

type StartOptions = {
  env?: Settings;
  cwd?: string;
  /** A file for stdout, as under a supervisor. */
  logFile?: string;
};

export function startProgram(
  program: string,
  args: readonly string[],
  { env = {}, cwd = root, logFile }: StartOptions = {},
): Started {
  const log = logFile === undefined ? undefined : openSync(logFile, 'w');
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['pipe', log ?? 'pipe', 'pipe'],
  }) as Started['child'];
  if (log !== undefined) closeSync(log);
  return watch(child, logFile);
}

type MailproofOptions = StartOptions & {
  /** `script` runs ./mailproof as a person does; `source` runs its program alone, which starts sooner. */
  through?: 'script' | 'source';
  /** A module that is loaded before our code. */
  preload?: string | undefined;
  /** Another checkout of this repository, whose `./mailproof` is run. */
  checkout?: string | undefined;
  /** The file to run instead of the program of a checkout: a past release. */
  program?: string | undefined;
};

export function startMailproof(args: readonly string[], options: MailproofOptions = {}): Started {
  const { through = 'source', preload, checkout = root, env = {}, program, ...rest } = options;
  // The cache of ./mailproof: compiled code is kept between runs.
  const settings = { NODE_COMPILE_CACHE: join(checkout, '.cache/compiled'), ...env };
  if (through === 'script')
    return startProgram(join(checkout, 'mailproof'), args, { ...rest, env: settings });
  const flags = [
    '--disable-warning=ExperimentalWarning',
    ...(preload === undefined ? [] : ['--import', preload]),
  ];
  const file = program ?? join(checkout, 'cli/src/main.ts');
  return startProgram(process.execPath, [...flags, file, ...args], { ...rest, env: settings });
}

/** Runs it until it ends. */
export function runMailproof(
  args: readonly string[],
  { input = '', ...options }: MailproofOptions & { input?: string } = {},
): Promise<Ended> {
  const { child, ended } = startMailproof(args, options);
  child.stdin.end(input);
  return ended;
}

export type Row = Record<string, unknown>;

/** Runs a command that must succeed and print one JSON object. */
export async function runCommand(
  args: readonly string[],
  env: Settings,
  from: Pick<MailproofOptions, 'checkout' | 'program'> = {},
): Promise<Row> {
  const { code, stdout, stderr } = await runMailproof([...args, '--json'], { env, ...from });
  if (code !== 0) throw new Error(`mailproof ${args.join(' ')} ended with ${String(code)}: ${stderr}`);
  const answer: unknown = JSON.parse(stdout);
  if (!isRecord(answer)) throw new Error(`mailproof ${args.join(' ')} said ${stdout}`);
  return answer;
}

export function isRecord(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A running service. */
export type Serving = Started & {
  /** The URL of the API; empty if the process is a worker only. */
  url: string;
};

export type ServeOptions = MailproofOptions & { role?: 'all' | 'api' | 'worker' | 'prober' };

const ready = /"url":"([^"]+)","msg":"listening"|"msg":"working"/;

export async function serveMailproof({ role = 'all', env = {}, ...rest }: ServeOptions): Promise<Serving> {
  const started = startMailproof(['serve', '--role', role], {
    ...rest,
    env: { MAILPROOF_PORT: '0', ...env },
  });
  const [, url = ''] = await started.wrote(ready);
  return { ...started, url };
}

function watch(child: Started['child'], logFile: string | undefined): Started {
  // An interrupted test leaves no process behind.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const said = { stdout: '', stderr: '' };
  if (logFile === undefined) keepText(child.stdout, (text) => (said.stdout += text));
  keepText(child.stderr, (text) => (said.stderr += text));
  // A child that ends without reading its input breaks the pipe; that is allowed.
  child.stdin.on('error', () => undefined);
  const stdout = () => (logFile === undefined ? said.stdout : readFileSync(logFile, 'utf8'));
  let isOver = false;
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      isOver = true;
      process.off('exit', kill);
      resolve({ code, stdout: stdout(), stderr: said.stderr });
    });
  });

  async function wrote(wanted: RegExp): Promise<RegExpExecArray> {
    const found = await until(
      () => wanted.exec(stdout()),
      (match) => match !== null || isOver,
    );
    if (found === null) throw new Error(`ended without ${String(wanted)}: ${stdout()}${said.stderr}`);
    return found;
  }

  return {
    child,
    stdout,
    stderr: () => said.stderr,
    ended,
    wrote,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      child.kill('SIGTERM');
      return (await ended).code;
    },
  };
}

/** Collects whole characters, however the bytes are split; other listeners still get bytes. */
function keepText(stream: Readable, keep: (text: string) => void): void {
  const decoder = new StringDecoder('utf8');
  stream.on('data', (bytes: Buffer) => keep(decoder.write(bytes)));
}
