import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startEngine } from '../support/start-engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-opt-outs-'));
after(() => rmSync(folder, { recursive: true }));

const mx = (host: string): { mx: [number, string][] } => ({ mx: [[10, host]] });
const fixture = {
  zones: {
    'shy.test': mx('mx.open.test'),
    'below.shy.test': mx('mx.open.test'),
    'guest.test': { mx: [...mx('mx.open.test').mx, [20, 'mx.shy.test']] as [number, string][] },
    'open.test': mx('mx.open.test'),
    'notshy.test': mx('mx.open.test'),
  },
  hosts: { 'mx.open.test': { mailboxes: { ada: 'exists' as const } }, 'mx.shy.test': {} },
};

test('a receiver that opted out is not asked: its subdomains and those whose mail it takes neither, from the next second on', async () => {
  const file = join(folder, 'opt-outs.txt');
  const running = await startEngine(fixture, { listFiles: { optOut: file } });
  const found = async (domain: string): Promise<string> => {
    const outcome = await running.verify(`ada@${domain}`);
    assert.ok(outcome.kind === 'verdict');
    return `${outcome.verdict.status} ${outcome.explanation.reason}`;
  };
  try {
    assert.equal(await found('shy.test'), 'safe mailbox_accepted');
    writeFileSync(file, '# by mail\nshy.test\n');
    while ((await found('shy.test')) !== 'unknown receiver_opted_out')
      await new Promise((resolve) => setTimeout(resolve, 100));
    running.world.reset();
    for (const domain of ['shy.test', 'below.shy.test', 'guest.test'])
      assert.equal(await found(domain), 'unknown receiver_opted_out', domain);
    assert.equal(running.world.counts.smtp.connections, 0);
    for (const domain of ['open.test', 'notshy.test'])
      assert.equal(await found(domain), 'safe mailbox_accepted');
  } finally {
    await running.stop();
  }
});
