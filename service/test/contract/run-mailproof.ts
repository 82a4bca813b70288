/** Runs `./mailproof` as a person would: the script itself, in a process of its own, with nothing of the tester's settings. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export const root = join(import.meta.dirname, '../../..');

export type Settings = Record<string, string>;

export type Ended = { code: number | null; stdout: string; stderr: string };

export type Running = {
  child: ChildProcessByStdio<null, Readable, Readable>;
  /** All it has said so far. */
  said: { stdout: string; stderr: string };
  ended: Promise<Ended>;
  /** What it has said on stdout once that matches; fails if it ends before. */
  until(wanted: RegExp): Promise<RegExpExecArray>;
};

export function start(program: string, args: readonly string[], settings: Settings): Running {
  const child = spawn(program, args, {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A test that is broken off leaves no service behind.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      process.off('exit', kill);
      resolve({ code, ...said });
    });
  });

  function until(wanted: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = wanted.exec(said.stdout);
        if (found !== null) resolve(found);
      };
      child.stdout.on('data', look);
      look();
      ended.then(({ code, stderr }) => reject(new Error(`ended with ${String(code)}: ${stderr}`)), reject);
    });
  }

  return { child, said, ended, until };
}

export function startMailproof(args: readonly string[], settings: Settings): Running {
  return start(join(root, 'mailproof'), args, settings);
}

export type Row = Record<string, unknown>;

/** A command that must succeed and print one JSON object. */
export async function runCommand(args: readonly string[], settings: Settings): Promise<Row> {
  const { code, stdout, stderr } = await startMailproof([...args, '--json'], settings).ended;
  if (code !== 0) throw new Error(`mailproof ${args.join(' ')} ended with ${String(code)}: ${stderr}`);
  return JSON.parse(stdout) as Row;
}
