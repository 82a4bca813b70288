/** Runs the command as a process of its own, for tests: the real arguments, streams, signals and exit codes. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { join } from 'node:path';

export type Ended = { code: number | null; stdout: string; stderr: string };

export type Started = {
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  ended: Promise<Ended>;
};

type Circumstances = { env?: Record<string, string>; cwd?: string };

const program = join(import.meta.dirname, '../../src/main.ts');
/** The same that ./mailproof uses: compiled code is kept between runs. */
const compileCache = join(import.meta.dirname, '../../../.cache/compiled');

/** Nothing of the tester's own settings gets through. */
export function startMailproof(args: readonly string[], { env = {}, cwd }: Circumstances = {}): Started {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    env: { NODE_COMPILE_CACHE: compileCache, ...env },
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A child that ends without reading its input breaks the pipe, which is its right.
  child.stdin.on('error', () => undefined);
  return { child, ended: collect(child) };
}

export function runMailproof(
  args: readonly string[],
  { input = '', ...rest }: Circumstances & { input?: string } = {},
) {
  const { child, ended } = startMailproof(args, rest);
  child.stdin.end(input);
  return ended;
}

async function collect(child: Started['child']): Promise<Ended> {
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  return { code: await code, stdout, stderr };
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}
