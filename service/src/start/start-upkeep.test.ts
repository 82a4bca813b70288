import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '@mailproof/engine';
import type { Store } from '../core/store/store.ts';
import { databases } from '../../test/support/databases.ts';
import { openTaskFixture } from '../../test/support/open-task-fixture.ts';
import { until } from '../../test/support/until.ts';
import { startUpkeep } from './start-upkeep.ts';

for (const database of databases) {
  describe(`the start on ${database.name}`, () => {
    async function setUp(found?: string) {
      const fixture = await openTaskFixture(database, 10);
      const gate = Promise.withResolvers<undefined>();
      const store: Store = {
        ...fixture.store,
        snapshot: (look) => gate.promise.then(() => fixture.store.snapshot(look)),
        findDamage: () => gate.promise.then(() => found),
      };
      const problems: unknown[] = [];
      const lines: string[] = [];
      const start = () =>
        startUpkeep({
          store,
          registry: fixture.registry,
          clock: systemClock,
          wallClock: fixture.time.wallClock,
          taskRetentionMs: 1_000,
          logger: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
          onProblem: (_, error) => problems.push(error),
        });
      return { ...fixture, start, letGo: () => gate.resolve(undefined), problems, lines };
    }

    it('does not wait for the audit or the look through the file, and tells what is still looked at', async () => {
      const { start, letGo, problems, close } = await setUp();
      const upkeep = await start();
      await until(() => upkeep.checking()[0] === 'ledger: 0 of 1 new entries audited');
      assert.deepEqual(upkeep.checking().slice(1), ['database file: being looked through for damage']);
      assert.deepEqual(upkeep.problems(), []);
      letGo();
      await until(() => upkeep.checking().length === 0);
      assert.deepEqual(upkeep.problems(), []);
      await upkeep.stop();
      assert.deepEqual(problems, []);
      await close();
    });

    it('says so where the file is found to be damaged', async () => {
      const { start, letGo, close } = await setUp('the file is damaged');
      const upkeep = await start();
      letGo();
      await until(() => upkeep.problems().length === 1);
      assert.deepEqual(upkeep.problems(), ['the file is damaged']);
      await upkeep.stop();
      await close();
    });

    it('gives back what dead processes held before anything is served, and one of the living says so', async () => {
      const { start, letGo, store, kill, claim, created, account, close, lines } = await setUp();
      await created(account.live, ['ann@example.com']);
      const dead = await store.joinRegistry();
      const first = await claim(dead.ownId);
      assert.equal(first?.fence, 1);
      await kill(dead);
      const started = await Promise.all([start(), start()]);
      assert.equal((await claim())?.fence, 2);
      assert.equal(
        lines.filter((line) => /A process \(serve --role \w+\) ended without/.test(line)).length,
        1,
      );
      letGo();
      await Promise.all(started.map((one) => one.stop()));
      await close();
    });
  });
}
