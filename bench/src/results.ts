/** Results: the machine they are of, the one printer, and the few statistics and tables they need. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** The facts that a reader of a figure needs, and nothing by which the machine could be found. */
export type Machine = {
  /** The commit that was measured, with `+` if the tree had changes. */
  commit: string;
  cores: number;
  cpu: string;
  memoryGb: number;
  node: string;
  platform: string;
  /** Median of 100 writes of 4 KiB to a temporary file, each followed by fdatasync. */
  fdatasyncMs: number;
  /** Processes that wanted to run, averaged over the minute before. */
  loadBefore: number;
};

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    commit: readCommit(),
    cores: processors.length,
    cpu: processors[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    fdatasyncMs: Number(median(timeSyncs(100)).toFixed(3)),
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
  };
}

function timeSyncs(count: number): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bench-'));
  const file = openSync(join(folder, 'sync'), 'w');
  const page = Buffer.alloc(4_096, 1);
  try {
    return Array.from({ length: count }, () => {
      const startedAt = performance.now();
      writeSync(file, page);
      fdatasyncSync(file);
      return performance.now() - startedAt;
    });
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

/** The commit of the tree, or `unknown` without git. */
function readCommit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    // A result that was just written is no change of the program.
    const changes = git('status', '--porcelain', '--', ':/', ':!/bench/results');
    return `${git('rev-parse', '--short=10', 'HEAD').trim()}${changes === '' ? '' : '+'}`;
  } catch {
    return 'unknown';
  }
}

/** Above half a process per core, other work changes the figures. */
const isBusy = ({ cores, loadBefore }: Pick<Machine, 'cores' | 'loadBefore'>): boolean =>
  loadBefore > cores * 0.5;

export function machineLines(machine: Machine): string[] {
  const { commit, cores, cpu, memoryGb, node, platform, fdatasyncMs, loadBefore } = machine;
  const busy = isBusy(machine) ? ' (**busy with other work: read the ratios, not the rates**)' : '';
  return [
    `- commit ${commit}`,
    `- ${cores} cores of ${cpu}, ${memoryGb} GB, ${platform}, Node ${node}`,
    `- write of 4 KiB and fdatasync: ${fdatasyncMs} ms (median)`,
    `- load of the machine before the run: ${loadBefore}${busy}`,
  ];
}

const resultsFolder = join(import.meta.dirname, '../results');

type Result = { name: string; lines: string[]; figures: unknown };

/** Options that every benchmark takes. */
export const usualOptions = {
  /** A small run, to see that it works. */
  quick: { type: 'boolean', default: false },
  /** Writes the result to `bench/results`, to be committed. */
  write: { type: 'boolean', default: false },
  /** Writes it though the machine is busy; the result says so. */
  'busy-anyway': { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

/** Reads the options of a benchmark. Refuses to start a run whose result would not be fit to be committed. */
export function readWish<Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  const { values } = parseArgs({ args, options: { ...usualOptions, ...options } });
  const { write, 'busy-anyway': busyAnyway } = values as { write?: boolean; 'busy-anyway'?: boolean };
  const why = write === true ? whyNotWritten(busyAnyway === true) : undefined;
  if (why !== undefined) throw new BusyMachineError(why);
  return values;
}

export class BusyMachineError extends Error {}

/** Returns why a result of now may not be written, or nothing if it may. */
export function whyNotWritten(
  busyAnyway: boolean,
  machine = { cores: cpus().length, loadBefore: loadavg()[0] ?? 0 },
): string | undefined {
  if (busyAnyway || !isBusy(machine)) return undefined;
  return [
    `The machine is busy (load ${machine.loadBefore.toFixed(2)} on ${machine.cores} cores), so no result is written.`,
    'Wait until the load is below half the cores, or leave out --write to look at the figures.',
    'With --busy-anyway it is written, and says that the machine was busy.',
  ].join(' ');
}

/** Prints a result; with `--write` it is kept in `bench/results`, to be committed. */
export function publish({ name, lines, figures }: Result, { write = false }: { write?: boolean }): void {
  const text = `${lines.join('\n')}\n`;
  process.stdout.write(`\n${text}`);
  if (!write) return;
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(join(resultsFolder, `${name}.md`), text);
  writeFileSync(join(resultsFolder, `${name}.json`), `${JSON.stringify(figures, undefined, 2)}\n`);
}

/** Returns the figures that the last written run of a benchmark found, or nothing without one. */
export function readKept(name: string): unknown {
  const file = join(resultsFolder, `${name}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined;
}

export const tell = (message: string): void => void process.stderr.write(`${message} …\n`);

/** A table that reads well in a terminal and is Markdown at the same time. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((title, column) =>
    Math.max(title.length, 3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/** Milliseconds. */
export type Spread = { p50: number; p99: number };

export function spreadOf(values: readonly number[]): Spread {
  return { p50: median(values), p99: quantile(values, 0.99) };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Three significant digits, thousands apart. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const rounded = Number(value.toPrecision(3));
  return rounded >= 1_000 ? rounded.toLocaleString('en-US') : String(rounded);
}

/** Every digit, thousands apart: for counts that have to add up. */
export function exact(count: number): string {
  return count.toLocaleString('en-US');
}

export function hours(ms: number): string {
  return ms < 3_600_000 ? `${(ms / 60_000).toFixed(0)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}
