/** `./mailproof` and other programs in processes of their own, with nothing of the tester's settings. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { until } from './until.ts';

export const root = join(import.meta.dirname, '../../..');

export type Settings = Record<string, string>;

export type Ended = { code: number | null; stdout: string; stderr: string };

/** A program that was started, watched from outside. */
export type Started = {
  /** It has no stdout where that goes to a file. */
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** All that it wrote so far. */
  stdout: () => string;
  stderr: () => string;
  /** Once it has ended: its exit code, null where a signal ended it, and all that it wrote. */
  ended: Promise<Ended>;
  /** What it wrote on stdout, once that matches; fails where it ends before. */
  wrote: (wanted: RegExp) => Promise<RegExpExecArray>;
  /** Pulls the plug. */
  kill: () => Promise<void>;
  /** Asks it to end (SIGTERM), and answers with its exit code. */
  stop: () => Promise<number | null>;
};

type StartOptions = {
  env?: Settings;
  cwd?: string;
  /** Where stdout goes instead, as under a supervisor. */
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
  /** `script` runs ./mailproof as a person does; `source` its program alone, which starts sooner. */
  through?: 'script' | 'source';
  /** A module that is read before anything of ours. */
  preload?: string | undefined;
  /** Another checkout of this repository, whose `./mailproof` is run. */
  checkout?: string | undefined;
  /** The file to run instead of the program of a checkout: a release as it was. */
  program?: string | undefined;
};

export function startMailproof(args: readonly string[], options: MailproofOptions = {}): Started {
  const { through = 'source', preload, checkout = root, env = {}, program, ...rest } = options;
  // The same cache that ./mailproof uses: compiled code is kept between runs.
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

/** Runs it to its end. */
export function runMailproof(
  args: readonly string[],
  { input = '', ...options }: MailproofOptions & { input?: string } = {},
): Promise<Ended> {
  const { child, ended } = startMailproof(args, options);
  child.stdin.end(input);
  return ended;
}

export type Row = Record<string, unknown>;

/** A command that must succeed and print one JSON object. */
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

/** A service that serves. */
export type Serving = Started & {
  /** Where the API listens; empty where the process is a worker only. */
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
  // A test that is broken off leaves no process behind.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const said = { stdout: '', stderr: '' };
  if (logFile === undefined) keepText(child.stdout, (text) => (said.stdout += text));
  keepText(child.stderr, (text) => (said.stderr += text));
  // A child that ends without reading its input breaks the pipe, which is its right.
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

/** Whole characters, however the bytes come; whoever listens beside us still gets them as bytes. */
function keepText(stream: Readable, keep: (text: string) => void): void {
  const decoder = new StringDecoder('utf8');
  stream.on('data', (bytes: Buffer) => keep(decoder.write(bytes)));
}
