import assert from 'node:assert/strict';
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
