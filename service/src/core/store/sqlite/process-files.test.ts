import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { registerInDataDir } from './process-files.ts';

function newDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'mailproof-test-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Another process that announces itself and stays until it is killed. */
async function startOther(dataDir: string) {
  const script = `
    import { registerInDataDir } from ${JSON.stringify(new URL('process-files.ts', import.meta.url).href)};
    const registry = registerInDataDir(${JSON.stringify(dataDir)});
    process.stdout.write(registry.ownId);
    setInterval(() => registry.ownId, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [id] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return { id, child };
}

describe('processes of a data directory', () => {
  it('a process that was killed is found dead, one that lives is not', async (t) => {
    const dataDir = newDir(t);
    const here = registerInDataDir(dataDir);
    const other = await startOther(dataDir);
    assert.deepEqual(await here.findDead(), []);
    other.child.kill('SIGKILL');
    await once(other.child, 'close');
    assert.deepEqual(await here.findDead(), [other.id]);
    assert.deepEqual(await here.findDead(), [other.id], 'it is found until it is removed');
    await here.remove(other.id);
    assert.deepEqual(await here.findDead(), []);
    await here.leave();
  });

  it('a process that stands still is alive', async (t) => {
    const dataDir = newDir(t);
    const here = registerInDataDir(dataDir);
    const other = await startOther(dataDir);
    other.child.kill('SIGSTOP');
    assert.deepEqual(await here.findDead(), []);
    other.child.kill('SIGKILL');
    await once(other.child, 'close');
    await here.leave();
  });

  it('two stores of one process do not take each other for dead, and leaving leaves nothing', async (t) => {
    const dataDir = newDir(t);
    const one = registerInDataDir(dataDir);
    const two = registerInDataDir(dataDir);
    assert.deepEqual(await one.findDead(), []);
    assert.deepEqual(await two.findDead(), []);
    await one.leave();
    await two.leave();
    assert.deepEqual(readdirSync(join(dataDir, 'processes')), []);
  });
});
