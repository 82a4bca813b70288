import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** Where a process of Mailproof lives: its data and its settings, nothing of the tester's own. */
export type Home = { dataDir: string; environment: Record<string, string> };

/** A process of Mailproof, watched from outside. */
export type Launched = {
  /** All that it wrote so far, on both streams. */
  written: () => Buffer;
  /** Its exit code; null where a signal ended it. */
  ended: Promise<number | null>;
  signal: (name: 'SIGKILL' | 'SIGTERM') => void;
  child: ChildProcessByStdio<null, Readable, Readable>;
};

const root = join(import.meta.dirname, '../../../..');
const program = join(root, 'cli/src/main.ts');

/** As ./mailproof does it, on the Node that runs this; `preload` is read before anything of ours. */
export function launch(args: readonly string[], home: Home, preload?: string): Launched {
  const options = [
    '--disable-warning=ExperimentalWarning',
    ...(preload === undefined ? [] : ['--import', preload]),
  ];
  const child = spawn(process.execPath, [...options, program, ...args], {
    env: {
      NODE_COMPILE_CACHE: join(root, '.cache/compiled'),
      ...home.environment,
      MAILPROOF_DATA_DIR: home.dataDir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
  return {
    child,
    written: () => Buffer.concat(chunks),
    ended: new Promise((resolve) => child.once('close', resolve)),
    signal: (name) => void child.kill(name),
  };
}
