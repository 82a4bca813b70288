import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

type Cost = { loadMs: number; cpuMs: number; dataMs: number; residentBytes: number };

/**
 * Runs in a process of its own, after the runtime has read its first TypeScript file and the syntax is loaded: every
 * engine needs both, with or without lists. The rest is the suffix list, the code and the data.
 */
const measurement = `
  await import(${JSON.stringify(new URL('../syntax/parse-address.ts', import.meta.url).href)});
  globalThis.gc();
  const before = { at: performance.now(), cpu: process.cpuUsage(), rss: process.memoryUsage.rss() };
  const { createLists } = await import(${JSON.stringify(new URL('load-lists.ts', import.meta.url).href)});
  const created = performance.now();
  const lists = createLists({ files: {}, onProblem() {} });
  lists.find({ email: '', username: '', domain: '', host: 'a.example.com', localPart: 'ann', needsSmtputf8: false });
  const after = performance.now();
  const cpu = process.cpuUsage(before.cpu);
  const residentBytes = process.memoryUsage.rss() - before.rss;
  const cost = { loadMs: after - before.at, cpuMs: (cpu.user + cpu.system) / 1000, dataMs: after - created, residentBytes };
  process.stdout.write(JSON.stringify(cost));
`;

async function measure(): Promise<Cost> {
  const run = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--input-type=module',
    '--eval',
    measurement,
  ]);
  return JSON.parse(run.stdout) as Cost;
}

test('loading the lists takes under 40 MB and, on a machine at leisure, under 150 ms', async (context) => {
  const costs: Cost[] = [];
  for (let run = 0; run < 3; run += 1) costs.push(await measure());
  const told = costs.map(
    ({ loadMs, cpuMs, dataMs, residentBytes }) =>
      `${loadMs.toFixed(0)} ms, of it data ${dataMs.toFixed(1)}, CPU ${cpuMs.toFixed(0)} ms, ${(residentBytes / 1e6).toFixed(1)} MB`,
  );
  context.diagnostic(told.join('; '));
  const residentBytes = Math.max(...costs.map((cost) => cost.residentBytes));
  assert.ok(residentBytes < 40_000_000, `${residentBytes} bytes`);
  // The work done, not the time waited for a processor: on a busy machine the latter says nothing of the lists.
  // Twice the promise, because a busy processor also works more slowly.
  const cpuMs = Math.min(...costs.map((cost) => cost.cpuMs));
  assert.ok(cpuMs < 300, `${cpuMs} ms`);
});
