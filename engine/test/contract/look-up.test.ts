import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { parseAddress } from '../../src/syntax/parse-address.ts';
import { oneHost, startEngine } from '../support/start-engine.ts';

test('looking an address up asks DNS and no mail host', async (context) => {
  const running = await startEngine(oneHost('shop.test', { mailboxes: { jane: 'exists' } }));
  context.after(() => running.stop());
  const { engine, world } = running;
  const look = async (email: string) => {
    const parsed = parseAddress(email);
    assert.ok(parsed.kind === 'valid');
    const { signal } = new AbortController();
    return engine.lookUp(parsed.address, { deadline: systemClock.now() + 20_000, signal });
  };
  assert.equal((await look('jane@shop.test')).route?.kind, 'takes_mail');
  assert.equal((await look('jane@nowhere.test')).route?.kind, 'refuses_mail');
  assert.equal((await look('jane@gmial.com')).lists.nearProvider, 'gmail.com');
  assert.equal(engine.counts().dialled, 0);
  assert.deepEqual(world.violations, []);
});

test('a look-up is the same for every mailbox of a domain, whatever the lists say of one of them', async (context) => {
  const hashed = createHash('sha256').update('hashed@shop.test').digest('hex');
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-look-up-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const fileOf = (name: string, ...lines: string[]): string => {
    const path = join(folder, name);
    writeFileSync(path, lines.join('\n'));
    return path;
  };
  const listFiles = {
    deny: fileOf('deny', 'optout@shop.test', hashed, 'closed.test'),
    spamtraps: fileOf('spamtraps', 'trap@shop.test', 'trap@mailinator.com'),
    allow: fileOf('allow', 'friend@mailinator.com'),
  };
  const running = await startEngine(oneHost('shop.test', { mailboxes: { jane: 'exists' } }), { listFiles });
  context.after(() => running.stop());
  const look = async (email: string) => {
    const parsed = parseAddress(email);
    assert.ok(parsed.kind === 'valid');
    const { signal } = new AbortController();
    const { lists, route } = await running.engine.lookUp(parsed.address, {
      deadline: systemClock.now() + 20_000,
      signal,
    });
    return { lists, route };
  };
  for (const [neighbour, ...listed] of [
    ['jane@shop.test', 'optout@shop.test', 'hashed@shop.test', 'trap@shop.test'],
    ['jane@mailinator.com', 'trap@mailinator.com', 'friend@mailinator.com'],
    ['jane@closed.test', 'june@closed.test'],
  ]) {
    const expected = await look(neighbour ?? '');
    for (const email of listed) assert.deepEqual(await look(email), expected, email);
  }
  assert.equal((await look('jane@closed.test')).lists.denied, true);
  assert.equal((await look('jane@mailinator.com')).lists.disposable, true);
});
