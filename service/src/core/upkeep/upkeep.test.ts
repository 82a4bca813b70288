import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { reserve } from '../ledger/reserve.ts';
import { databases, sqlite } from '../../../test/support/databases.ts';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { addresses, openTaskFixture } from '../../../test/support/open-task-fixture.ts';
import { audit } from '../../start/whole-store.ts';
import { repeat } from '../process/repeat.ts';

for (const database of databases) {
  describe(`the audit of tasks on ${database.name}`, () => {
    const wrongs: [string, string][] = [
      ['update hold set charged = charged - 1, released = released + 1 where charged > 0', 'I5'],
      ['delete from item where position = 0', 'I6'],
      ["update task set status = 'running', completed_at = null", 'I6'],
      ['update task set hold_id = null', 'I6'],
      ['update task set checked = 0', 'I7'],
      ['update task set lease_until = 5', 'I9'],
      ["update item set state = 'pending', verdict = null where position = 1", 'I6'],
    ];
    for (const [sql, invariant] of wrongs) {
      it(`finds ${invariant}: ${sql}`, async () => {
        const fixture = await openTaskFixture(database);
        await fixture.created(fixture.account.live, addresses(3));
        await fixture.run((await fixture.claim())!);
        assert.deepEqual(await audit(fixture), { accounts: 1, tasks: 1, violations: [] });
        await fixture.damage(sql);
        const found = (await fixture.violations()).map((violation) => violation.invariant);
        assert.ok(found.includes(invariant), `found ${found.join(' ')}`);
        await fixture.close();
      });
    }

    it('finds a hold that lost its task', async () => {
      const fixture = await openTaskFixture(database);
      await fixture.store.write((tx) =>
        reserve(tx, {
          accountId: fixture.account.accountId,
          credits: 1,
          key: { id: 'key', capped: false },
          ifAvailable: 1,
          keeper: null,
          now: 1,
        }),
      );
      assert.deepEqual(
        (await fixture.violations()).map(({ invariant }) => invariant),
        ['I6'],
      );
      await fixture.close();
    });
  });
}

describe('sweeping beside other processes', () => {
  it('gives back at once what a killed process reserved, and leaves a living one alone', async (t) => {
    const fixture = await openTaskFixture(sqlite, 10);
    const script = `
      import { openStore } from ${JSON.stringify(new URL('../../start/open-store.ts', import.meta.url).href)};
      import { reserve } from ${JSON.stringify(new URL('../ledger/reserve.ts', import.meta.url).href)};
      const store = await openStore(${JSON.stringify(fixture.settings)});
      const processId = (await store.joinRegistry()).ownId;
      const now = ${fixture.time.wallClock.now()};
      await store.write((tx) => reserve(tx, { accountId: ${JSON.stringify(fixture.account.accountId)},
        credits: 4, key: { id: 'key', capped: false }, ifAvailable: 4, keeper: { processId, expiresAt: now + 40000 }, now }));
      process.stdout.write('reserved');
      globalThis.gc(); setInterval(() => store, 1000);`;
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    await fixture.sweep();
    assert.deepEqual(await fixture.balance(), [6, 4, 0]);
    child.kill('SIGKILL');
    await once(child, 'close');
    await fixture.sweep();
    assert.deepEqual(await fixture.balance(), [10, 0, 0]);
    assert.deepEqual(await fixture.violations(), []);
    await fixture.close();
  });
});

describe('repeating', () => {
  it('goes on after a failure, never overlaps, and stops', async () => {
    const time = createTestClock();
    const problems: string[] = [];
    let runs = 0;
    const job = () => ((runs += 1) === 2 ? Promise.reject(new Error('once')) : Promise.resolve());
    const repeated = repeat(job, {
      clock: time,
      everyMs: 10,
      onProblem: (message) => problems.push(message),
    });
    for (let turn = 0; turn < 4; turn += 1) {
      time.advance(10);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual([runs, problems.length], [4, 1]);
    await repeated.stop();
    time.advance(100);
    assert.deepEqual([runs, time.timers()], [4, 0]);
  });
});
