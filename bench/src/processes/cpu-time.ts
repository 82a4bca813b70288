import { readFileSync } from 'node:fs';

/** Clock ticks a second in /proc; 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/**
 * CPU time that a process has used so far, in milliseconds; nothing where the system has no /proc. Unlike a rate it
 * hardly depends on what else the machine does.
 */
export function cpuTimeMs(pid: number): number | undefined {
  try {
    // The name of the program stands in brackets and may hold spaces; fields 14 and 15 are counted after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
  } catch {
    return undefined;
  }
}
