import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Remembered } from '@mailproof/engine';
import { statement } from '../../store/statement.ts';
import { StoreUnavailableError } from '../../store/store-unavailable-error.ts';
import type { Store } from '../../store/store.ts';
import { databases } from '../../../../test/support/databases.ts';
import { createTestClock } from '../../../../../engine/test/support/test-clock.ts';
import { until } from '../../../../test/support/until.ts';
import { forgetFrom, keepEngineMemory, rememberFrom } from './keep-engine-memory.ts';

const hour = 3_600_000;
const aDomain: Remembered = { kind: 'catch_all', key: 'example.com', value: 'yes', lifeMs: hour };
const aHost: Remembered = {
  kind: 'host_traits',
  key: 'mx.example.com',
  value: { tls: 'broken' },
  lifeMs: hour,
};

const allRows = statement((db) => db.selectFrom('engine_memory').select(['kind', 'key', 'value']));
const spoil = statement((db, arg: { value: string }) =>
  db.updateTable('engine_memory').set({ value: arg.value }).where('kind', '=', 'host_traits'),
);

for (const database of databases) {
  describe(`the engine's memory on ${database.name}`, () => {
    async function setUp() {
      const { store, close } = await database.open();
      const time = createTestClock();
      const problems: string[] = [];
      const open = (over: Pick<Store, 'read' | 'write'> = store, processId = 'one') =>
        keepEngineMemory({
          clock: time,
          wallClock: time.wallClock,
          store: over,
          processId,
          onProblem: (message) => problems.push(message),
        });
      return { store, close, time, problems, open };
    }

    it('is what was learnt, with the life that is left, after a restart', async () => {
      const { time, open, close } = await setUp();
      const first = await open();
      assert.deepEqual(first.memory.load(), []);
      first.memory.learn({ ...aDomain, value: 'no' });
      first.memory.learn(aDomain);
      first.memory.learn(aHost);
      await first.stop();
      time.advance(60_000);
      const { memory, stop } = await open();
      assert.deepEqual(
        memory.load().toSorted((a, b) => a.key.localeCompare(b.key)),
        [aDomain, aHost].map((entry) => ({ ...entry, lifeMs: hour - 60_000 })),
      );
      await stop();
      time.advance(hour);
      const late = await open();
      assert.deepEqual(late.memory.load(), []);
      await late.stop();
      await close();
    });

    it('is written once a second at most, however much is learnt, and expired rows are swept', async () => {
      const { store, time, open, close } = await setUp();
      let writes = -1; // The first sweeps.
      const write: Store['write'] = (operation) => {
        writes += 1;
        return store.write(operation);
      };
      const { memory, stop } = await open({ read: store.read, write });
      for (let n = 0; n < 150; n += 1) memory.learn({ ...aDomain, key: `d${n}.example`, lifeMs: 50_000 });
      memory.learn(aHost);
      assert.equal(writes, 0);
      const rows = async () => (await store.read.all(allRows, {})).length;
      time.advance(1_000);
      assert.equal(await until(rows, (count) => count > 0), 151);
      assert.equal(writes, 1);
      time.advance(60_000);
      memory.learn(aHost);
      time.advance(1_000);
      assert.equal(await until(rows, (count) => count < 151), 1);
      await stop();
      await close();
    });

    it('what somebody told who is not to be believed is forgotten by all who heard it, and by nobody else', async () => {
      const { store, time, open, close } = await setUp();
      const { memory, stop } = await open();
      const heard: Remembered[] = [];
      memory.listen?.((entries) => void heard.push(...entries));
      const hears = async (count: number) => {
        await until(() => {
          time.advance(200);
          return heard.length === count;
        });
        return heard.slice(-1).map(({ kind, key, value, lifeMs }) => [kind, key, value, lifeMs > 0]);
      };
      const sign = (writer: string) => ({ writer, at: time.wallClock.now() });
      await store.write((tx) => rememberFrom(tx, [aDomain], sign('liar')));
      assert.deepEqual(await hears(1), [['catch_all', 'example.com', 'yes', true]]);
      await store.write((tx) => rememberFrom(tx, [aHost], sign('honest')));
      assert.deepEqual(await hears(2), [['host_traits', 'mx.example.com', aHost.value, true]]);
      await store.write((tx) => forgetFrom(tx, sign('liar')));
      assert.deepEqual(await hears(3), [['catch_all', 'example.com', null, false]]);
      await stop();
      const later = await open();
      assert.deepEqual(
        later.memory.load().map(({ key }) => key),
        ['mx.example.com'],
      );
      await later.stop();
      await close();
    });

    it('a row that cannot be read is ignored', async () => {
      const { store, open, close } = await setUp();
      const first = await open();
      first.memory.learn(aDomain);
      first.memory.learn(aHost);
      await first.stop();
      await store.write((tx) => tx.change(spoil, { value: '{"tls":' }));
      const { memory, stop } = await open();
      assert.deepEqual(
        memory.load().map(({ key }) => key),
        ['example.com'],
      );
      await stop();
      await close();
    });

    it('a store that fails harms nobody; what was learnt is written when it can be', async () => {
      const { store, time, problems, open, close } = await setUp();
      let broken = false;
      const write: Store['write'] = (operation) =>
        broken ? Promise.reject(new StoreUnavailableError('full')) : store.write(operation);
      const { memory, stop } = await open({ read: store.read, write });
      broken = true;
      memory.learn(aDomain);
      time.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(problems.length, 1);
      assert.doesNotThrow(() => memory.learn(aHost));
      broken = false;
      await stop();
      assert.equal((await store.read.all(allRows, {})).length, 2);
      await close();
    });

    it('is told, as it goes on, of what others learn and forget, each once', async () => {
      const { store, time, open, close } = await setUp();
      const mine = await open();
      const others = await open(store, 'other');
      const heard: Remembered[] = [];
      mine.memory.listen?.((entries) => void heard.push(...entries));
      const pass = (isDone: () => boolean) =>
        until(() => {
          time.advance(200);
          return isDone();
        });
      mine.memory.learn(aHost);
      others.memory.learn(aDomain);
      await pass(() => heard.length > 0);
      for (let looks = 0; looks < 60; looks += 1) {
        time.advance(200);
        await store.check(0);
      }
      assert.deepEqual(
        heard.map(({ kind, key, value }) => [kind, key, value]),
        [['catch_all', 'example.com', 'yes']],
      );
      others.memory.learn({ kind: 'rest', key: 'address 192.0.2.1', value: null, lifeMs: 0 });
      await pass(() => heard.length > 1);
      assert.deepEqual([heard[1]?.key, heard[1]?.value, heard.length], ['address 192.0.2.1', null, 2]);
      assert.ok(heard.every(({ kind, lifeMs }) => kind !== 'rest' || lifeMs <= 0));
      await Promise.all([mine.stop(), others.stop()]);
      await close();
    });

    it('is told of more than one look takes in, by and by', async () => {
      const { store, time, open, close } = await setUp();
      const mine = await open();
      const others = await open(store, 'other');
      const heard = new Set<string>();
      mine.memory.listen?.((entries) => entries.forEach(({ key }) => heard.add(key)));
      for (let n = 0; n < 5_000; n += 1) others.memory.learn({ ...aDomain, key: `d${n}.example` });
      await others.stop();
      await until(() => {
        // While a look is under way, there is no timer for the next.
        if (time.timers() > 0) time.advance(1_000);
        return heard.size >= 5_000;
      });
      assert.equal(heard.size, 5_000);
      await mine.stop();
      await close();
    });
  });
}
