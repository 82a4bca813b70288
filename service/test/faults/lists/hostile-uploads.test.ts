import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createApiClient, listsPath } from '../../support/api-client.ts';
import { makeHostileFiles } from '../../support/hostile-files.ts';
import { openFixture } from '../../support/open-fixture.ts';

/** `MAILPROOF_TEST_FILES=500` for the whole, which takes half an hour. */
const files = Number(process.env['MAILPROOF_TEST_FILES'] ?? 40);
const uploadMb = 64;
const uploadCpuMs = 10_000;

/** What the kernel knows of a process (proc(5)). */
function watchProcess(pid: number) {
  const status = (field: string): number =>
    Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  const cpuMs = (): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  };
  return {
    cpuMs,
    residentMb: () => status('VmRSS') / 1_024,
    /** The most since it was forgotten. */
    peakMb: () => status('VmHWM') / 1_024,
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
  };
}

/** The node that serves, below the shell that started it. */
function servingPid(shell: number): number {
  const children = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim();
  return children === '' ? shell : servingPid(Number(children.split(' ')[0]));
}

/**
 * The process has a heap of its own that grows until it is collected, so an ordinary list goes before; what the process
 * reached earlier counts for no file. Time is
 * counted in seconds of the processor, because others use it too.
 */
test(`${files} hostile files: none is our failure, none takes more than 64 MB and 10 s of the processor`, async (t) => {
  const fixture = await openFixture({ world: { zones: {}, hosts: { 'mx.x.example': { mailboxes: {} } } } });
  const { liveKey: key } = await fixture.openAccount({ credits: 0 });
  const serving = await fixture.serve({ through: 'script' });
  const client = createApiClient(serving.url);
  const watched = watchProcess(servingPid(serving.child.pid ?? 0));
  const headers = { 'content-type': 'application/octet-stream' };
  const seed = Number(process.env['MAILPROOF_TEST_SEED'] ?? 30);
  const ordinary = Array.from({ length: 300_000 }, (_, n) => `${n}@x.example`).join('\n');
  await client.ask({ path: listsPath, key, body: ordinary, headers });
  let highestMb = 0;
  const [outcomes, wrong]: [Record<number, number>, string[]] = [{}, []];
  let worst = { mb: 0, cpuMs: 0 };
  try {
    for await (const { name, bytes } of makeHostileFiles({ count: files, seed, most: 1_000_000 })) {
      highestMb = Math.max(highestMb, watched.residentMb());
      watched.forgetPeak();
      const cpu = watched.cpuMs();
      const { status, body } = await client.ask({ path: listsPath, key, body: bytes, headers });
      const cost = { mb: watched.peakMb() - highestMb, cpuMs: watched.cpuMs() - cpu };
      outcomes[status] = (outcomes[status] ?? 0) + 1;
      worst = { mb: Math.max(worst.mb, cost.mb), cpuMs: Math.max(worst.cpuMs, cost.cpuMs) };
      if (status >= 500 || cost.mb > uploadMb || cost.cpuMs > uploadCpuMs)
        wrong.push(`${name}: ${status}, ${Math.round(cost.mb)} MB, ${cost.cpuMs} ms`);
      if (status === 201)
        await client.ask({ method: 'DELETE', path: `${listsPath}/${String(body['list_id'])}`, key });
    }
    t.diagnostic(JSON.stringify({ seed, outcomes, worst }));
    assert.deepEqual(wrong, []);
    assert.ok((outcomes[201] ?? 0) > 0 && (outcomes[400] ?? 0) > 0);
  } finally {
    client.close();
    await fixture.close();
  }
});
