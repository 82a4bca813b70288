import { readdirSync, readFileSync } from 'node:fs';
import { cpuTimeMs } from './cpu-time.ts';

/**
 * CPU time of a process, of its children, and of those children it has outlived, in milliseconds: that of PostgreSQL,
 * which has a process for each connection.
 */
export function familyCpuTimeMs(pid: number): number {
  const living = children(pid).map((child) => cpuTimeMs(child) ?? 0);
  const own = statOf(pid);
  const ended = own === undefined ? 0 : (Number(own[13]) + Number(own[14])) * 10;
  return (cpuTimeMs(pid) ?? 0) + ended + living.reduce((total, ms) => total + ms, 0);
}

export function parentOf(pid: number): number | undefined {
  const stat = statOf(pid);
  return stat === undefined ? undefined : Number(stat[1]);
}

function children(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => parentOf(other) === pid);
}

/** The fields after the name, which stands in brackets: state, parent, … as in proc(5), from the third on. */
function statOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return undefined;
  }
}
