import { readFileSync, readdirSync } from 'node:fs';
import { sum } from '../results.ts';

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

/**
 * Measures processor time lost to others: to other processes, and to other machines on the same host. It tells calm
 * times from busy ones, whose figures say little.
 *
 * Answers with the share that was lost since it was called; 0 where the system has no /proc.
 */
export function watchLostTime(): () => number {
  const before = readTimes();
  return () => {
    const after = readTimes();
    if (before === undefined || after === undefined) return 0;
    const own = [...after.own].map(([pid, ms]) => ms - (before.own.get(pid) ?? 0));
    const heldMs = sum(own) + after.idleMs - before.idleMs;
    return Math.max(0, 1 - heldMs / (after.allMs - before.allMs));
  };
}

/** The half in which the least was lost. */
export function calmestHalf<Time extends { lostShare: number }>(times: readonly Time[]): Time[] {
  return times.toSorted((a, b) => a.lostShare - b.lostShare).slice(0, Math.ceil(times.length / 2));
}

/** The share that the host gave to other machines, and nothing else. */
export function watchStolenTime(): () => number {
  const before = readMachineTimes();
  return () => {
    const after = readMachineTimes();
    if (before === undefined || after === undefined) return 0;
    return (after.stolenMs - before.stolenMs) / (after.allMs - before.allMs);
  };
}

/**
 * Times of things that come one after the other, and the same without those around which the host gave anything to
 * other machines. The system charges that time to the thread it was taken from, a moment sooner or later. So the
 * neighbours are left out as well.
 */
type OwnTimes = { push: (ms: number) => void; all: number[]; own: () => number[] };

export function collectOwnTimes(): OwnTimes {
  const all: number[] = [];
  const stolen: boolean[] = [];
  let stolenMs = readMachineTimes()?.stolenMs;
  return {
    push: (ms) => {
      const before = stolenMs;
      stolenMs = readMachineTimes()?.stolenMs;
      all.push(ms);
      stolen.push(stolenMs !== before);
    },
    all,
    own: () => all.filter((_, place) => !stolen.slice(Math.max(0, place - 1), place + 2).includes(true)),
  };
}

/** `own` has this process and all that came from it. */
type Times = MachineTimes & { own: Map<number, number> };

function readTimes(): Times | undefined {
  const ofMachine = readMachineTimes();
  return ofMachine && { ...ofMachine, own: ownTimes() };
}

/** Of all cores together. */
type MachineTimes = { allMs: number; idleMs: number; stolenMs: number };

function readMachineTimes(): MachineTimes | undefined {
  try {
    // user, nice, system, idle, iowait, irq, softirq, steal (proc_stat(5)), in hundredths of a second.
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    const ms = line
      .split(/ +/)
      .slice(1, 9)
      .map((ticks) => 10 * Number(ticks));
    return { allMs: sum(ms), idleMs: (ms[3] ?? 0) + (ms[4] ?? 0), stolenMs: ms[7] ?? 0 };
  } catch {
    return undefined;
  }
}

function ownTimes(): Map<number, number> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(pids.map((pid) => [Number(pid), parentOf(Number(pid))]));
  const isOwn = (pid: number): boolean => {
    const parent = parents.get(pid);
    return pid === process.pid || (parent !== undefined && parent !== 0 && isOwn(parent));
  };
  const own = [...parents.keys()].filter(isOwn);
  return new Map(own.map((pid) => [pid, cpuTimeMs(pid) ?? 0]));
}
