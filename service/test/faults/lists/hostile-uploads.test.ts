import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createApiClient, listsPath } from '../../support/api-client.ts';
import { hostileShapes, makeHostileFiles } from '../../support/hostile-files.ts';
import { openFixture } from '../../support/open-fixture.ts';

/** Every shape twice. `MAILPROOF_TEST_FILES=500` for the whole set, `MAILPROOF_TEST_SEED` for other files. */
const files = Number(process.env['MAILPROOF_TEST_FILES'] ?? 2 * hostileShapes());
const seed = Number(process.env['MAILPROOF_TEST_SEED'] ?? 30);
const uploadMb = 64;
const uploadCpuMs = 10_000;

/** Reads the kernel's figures of a process (proc(5)). */
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
    /** The peak since the last reset. */
    peakMb: () => status('VmHWM') / 1_024,
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
  };
}

/** Returns the node process that serves, a child of the shell that started it. */
function servingPid(shell: number): number {
  const children = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim();
  return children === '' ? shell : servingPid(Number(children.split(' ')[0]));
}

/**
 * A heap grows until it is collected, so an ordinary list goes first, and earlier peaks count for no file. Time is
 * CPU time, because other processes run too.
 */
test(`${files} hostile files of seed ${seed}: none is our failure, none takes more than 64 MB and 10 s of the processor`, async (t) => {
  const fixture = await openFixture({ world: { zones: {}, hosts: { 'mx.x.example': { mailboxes: {} } } } });
  const { liveKey: key } = await fixture.openAccount({ credits: 1 });
  const serving = await fixture.serve({ through: 'script' });
  const client = createApiClient(serving.url, { lostAfterMs: 600_000 });
  const watched = watchProcess(servingPid(serving.child.pid ?? 0));
  const headers = { 'content-type': 'application/octet-stream' };
  const ordinary = Array.from({ length: 300_000 }, (_, n) => `${n}@x.example`).join('\n');
  await client.ask({ path: listsPath, key, body: ordinary, headers });
  let highestMb = 0;
  const [outcomes, wrong]: [Record<number, number>, string[]] = [{}, []];
  const worst = { mb: 0, of: '', cpuMs: 0, by: '' };
  try {
    for await (const { name, bytes } of makeHostileFiles({ count: files, seed, most: 1_000_000 })) {
      highestMb = Math.max(highestMb, watched.residentMb());
      watched.forgetPeak();
      const cpu = watched.cpuMs();
      const { status, body } = await client.ask({ path: listsPath, key, body: bytes, headers });
      const cost = { mb: watched.peakMb() - highestMb, cpuMs: watched.cpuMs() - cpu };
      outcomes[status] = (outcomes[status] ?? 0) + 1;
      if (cost.mb > worst.mb) Object.assign(worst, { mb: Math.round(cost.mb), of: name });
      if (cost.cpuMs > worst.cpuMs) Object.assign(worst, { cpuMs: cost.cpuMs, by: name });
      if (status >= 500 || cost.mb > uploadMb || cost.cpuMs > uploadCpuMs)
        wrong.push(`${name}: ${status}, ${Math.round(cost.mb)} MB, ${cost.cpuMs} ms`);
      if (status === 201)
        await client.ask({ method: 'DELETE', path: `${listsPath}/${String(body['list_id'])}`, key });
    }
    t.diagnostic(JSON.stringify({ seed, files, outcomes, worst }));
    assert.deepEqual(wrong, []);
    assert.ok((outcomes[201] ?? 0) > 0 && (outcomes[400] ?? 0) > 0);
  } finally {
    client.close();
    await fixture.close();
  }
});
