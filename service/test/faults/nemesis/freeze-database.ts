import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from './open-installation.ts';

/**
 * Stops every process of the database where it stands: connections stay open and nothing is answered, as with a server
 * that hangs or a cable that was pulled. The answer lets it go on.
 */
export async function freezeDatabase({ query }: Pick<Installation, 'query'>): Promise<() => void> {
  const [row] = await query('show data_directory');
  const [line = ''] = readFileSync(join(String(row?.['data_directory']), 'postmaster.pid'), 'utf8').split(
    '\n',
  );
  const postmaster = Number(line);
  // The first, so that it makes no more of them.
  process.kill(postmaster, 'SIGSTOP');
  const stopped = [postmaster];
  for (const child of childrenOf(postmaster)) if (signal(child, 'SIGSTOP')) stopped.push(child);
  return () => {
    for (const pid of stopped) signal(pid, 'SIGCONT');
  };
}

/** The fourth field of /proc/PID/stat, after a name in parentheses, is the parent. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter(
      (pid) =>
        readStat(pid)
          .replace(/^.*\) \S /s, '')
          .split(' ')[0] === String(parent),
    )
    .map(Number);
}

function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // It ended in between.
    return false;
  }
}
