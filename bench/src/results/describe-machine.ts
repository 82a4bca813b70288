/** What a reader needs to know of the machine to read a figure, and nothing by which it could be found. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { median } from './numbers.ts';

export type Machine = {
  cores: number;
  cpu: string;
  memoryGb: number;
  node: string;
  platform: string;
  /** Median of 100 writes of 4 KiB, each followed by fdatasync, where temporary files are kept. */
  fdatasyncMs: number;
  /** Processes that wanted to run, averaged over the minute before; above the number of cores the machine was busy with other things. */
  loadBefore: number;
};

export function describeMachine(): Machine {
  const processors = cpus();
  return {
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

export function machineLines(machine: Machine): string[] {
  const { cores, cpu, memoryGb, node, platform, fdatasyncMs, loadBefore } = machine;
  const busy = loadBefore > cores * 0.5 ? ' (**busy with other work: read the ratios, not the rates**)' : '';
  return [
    `- ${cores} cores of ${cpu}, ${memoryGb} GB, ${platform}, Node ${node}`,
    `- write of 4 KiB and fdatasync: ${fdatasyncMs} ms (median)`,
    `- load of the machine before the run: ${loadBefore}${busy}`,
  ];
}
