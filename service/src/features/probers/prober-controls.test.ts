import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CanonicalHost, MailRoute, Patience, Probe } from '@mailproof/engine';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { sqlite } from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import { createProberControls } from './prober-controls.ts';
import { addProber } from './prober-records.ts';

const route: MailRoute = {
  kind: 'takes_mail',
  implicit: false,
  mxRecords: ['mx.example.com' as CanonicalHost],
  preferred: 1,
  first: { name: 'mx.example.com' as CanonicalHost, addresses: ['192.0.2.1'] },
  further: [],
};

describe('control mailboxes', () => {
  it('look like single verifications of some account: no common tag, no random letters, the time of a caller', async (t) => {
    const { store, close } = await sqlite.open();
    t.after(close);
    const time = createTestClock();
    const asked: { probe: Probe; patience: Patience; at: number }[] = [];
    const controls = createProberControls({
      store,
      clock: time,
      wallClock: time.wallClock,
      queue: {
        ask(probe, patience) {
          asked.push({ probe, patience, at: time.now() });
          return Promise.resolve('ask_another');
        },
      },
      findMailRoute: () => Promise.resolve(route),
      controls: ['alive@example.com'],
      singleTimeoutMs: 30_000,
      onProblem: (message, error) => assert.fail(`${message} ${String(error)}`),
    });
    t.after(() => controls.stop());
    const added = await addProber('office', { store, wallClock: time.wallClock, actor: 'command_line' });
    assert.ok(added.kind === 'added');
    const prober = { id: added.proberId, name: 'office', tagKey: 'aa', egress: ['default'], share: 100 };
    for (let checks = 1; checks <= 10; checks += 1) {
      time.advance(600_000);
      const state = { whyNot: '', controlledAt: 0, controlsRight: 3 };
      controls.checkIfDue(prober, { names: ['office/default'], state });
      await until(
        () => {
          time.advance(100);
          return asked.length;
        },
        (count) => count === 2 * checks,
      );
    }
    const tags = asked.map(({ probe }) => probe.asker.account);
    assert.equal(new Set(tags).size, tags.length, 'each probe has an account of its own');
    assert.ok(
      tags.every((tag) => /^acct_[\da-f]{16}$/.test(tag)),
      'as accounts are named',
    );
    assert.ok(asked.every(({ probe }) => probe.asker.urgency === 'single'));
    const madeUp = asked.map(({ probe }) => probe.address.localPart).filter((name) => name !== 'alive');
    assert.equal(new Set(madeUp).size, 10);
    for (const name of madeUp) assert.match(name, /^[a-z]{4}\.[a-z]{7}$/);
    for (const { patience, at } of asked) {
      const withinMs = patience.deadline - at;
      assert.ok(withinMs > 29_000 && withinMs <= 30_000, `${withinMs} ms`);
    }
    // Ten distances out of fifty (the clock steps by 100 ms) are four or fewer by chance once in 400,000 runs.
    const apart = new Set(asked.flatMap(({ at }, n) => (n % 2 === 1 ? [at - (asked[n - 1]?.at ?? 0)] : [])));
    assert.ok(apart.size > 4, 'the two of a check come at any distance');
  });
});
