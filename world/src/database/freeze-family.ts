import { readdirSync, readFileSync } from 'node:fs';

/** Stops a process and its children where they stand (SIGSTOP). The answer lets them go on. */
export function freezeFamily(parent: number): () => void {
  // The parent first, so that it makes no more of them.
  process.kill(parent, 'SIGSTOP');
  const stopped = [parent];
  for (const child of childrenOf(parent)) if (signal(child, 'SIGSTOP')) stopped.push(child);
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
