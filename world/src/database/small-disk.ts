import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small file system in memory, which a test can fill up. Only root may mount it. */
export type SmallDisk = {
  folder: string;
  /** Leaves no byte free. */
  fill: () => void;
  makeRoom: () => void;
  remove: () => void;
};

export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-small-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: () => fillFile(filler),
    makeRoom: () => rmSync(filler),
    remove: () => {
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function fillFile(file: string): void {
  const page = Buffer.alloc(4_096, 1);
  const opened = openSync(file, 'w');
  try {
    for (;;) writeSync(opened, page);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(opened);
  }
}
