import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { startStandIn } from '@mailproof/client/stand-in';
import { runMailproof } from '../../../service/test/support/mailproof.ts';
import { makeRows } from './make-list.ts';

type Measured = {
  rows: number;
  seconds: number;
  /** CPU time of the command's own process. */
  cpuMs: number;
  /** The most memory it ever held. */
  peakMb: number;
  rowsWritten: number;
  spentMatches: boolean;
};

/**
 * Checks a list of `rows` rows against a stand-in, and returns the memory and CPU that the command used. With
 * `heapMb` it ends with an error where it needs a larger heap than that.
 */
export async function measureCheck(rows: number, heapMb?: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-measure-'));
  const [list, output, usageFile] = ['list.csv', 'out.csv', 'usage.json'].map((name) => join(folder, name));
  const limit = heapMb === undefined ? '' : ` --max-old-space-size=${heapMb}`;
  const standIn = await startStandIn();
  try {
    await pipeline(Readable.from(makeRows(rows)), createWriteStream(list ?? ''));
    const startedAt = performance.now();
    const { code, stdout, stderr } = await runMailproof(
      ['check', list ?? '', '--output', output ?? '', '--yes', '--json'],
      {
        env: {
          MAILPROOF_URL: standIn.url,
          MAILPROOF_API_KEY: standIn.apiKey,
          NODE_OPTIONS: `--import=${import.meta.resolve('./report-usage.ts')}${limit}`,
          USAGE_FILE: usageFile ?? '',
        },
      },
    );
    if (code !== 0) throw new Error(`check ended with ${String(code)}: ${stderr}`);
    const usage = JSON.parse(readFileSync(usageFile ?? '', 'utf8')) as { cpuMs: number; peakKb: number };
    const told = JSON.parse(stdout) as { credits_used: number };
    return {
      rows,
      seconds: (performance.now() - startedAt) / 1_000,
      cpuMs: usage.cpuMs,
      peakMb: usage.peakKb / 1_024,
      rowsWritten: (await countLines(output ?? '')) - 1,
      spentMatches: told.credits_used === standIn.counts.spent,
    };
  } finally {
    await standIn.stop();
    rmSync(folder, { recursive: true });
  }
}

async function countLines(path: string): Promise<number> {
  let lines = 0;
  for await (const piece of createReadStream(path))
    for (const byte of piece as Uint8Array) if (byte === 10) lines += 1;
  return lines;
}
