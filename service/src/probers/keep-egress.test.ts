import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Engine, Predecessor } from '@mailproof/engine';
import { createTestClock } from '../../../engine/test/support/test-clock.ts';
import { databases, type TestDatabase } from '../../test/support/databases.ts';
import type { ProcessRole } from '../db/process-registry.ts';
import { readEgress } from './egress-addresses.ts';
import { listEgress } from './list-egress.ts';
import { keepEgress, type EgressKeeper } from './keep-egress.ts';

/** What a keeper tells its engine. */
function createEngineEgress(ids: string[]) {
  const begins = new Map<string, number>();
  const seen = {
    from: [] as Predecessor[],
    open: 0,
    resting: 0,
    problem: undefined as 'mail_port_blocked' | undefined,
  };
  const egress: Engine['egress'] = {
    ids,
    takeOver(id, from, until) {
      seen.from.push(from);
      begins.set(id, until);
    },
    allowUntil: (id, until) => void begins.set(id, until),
    giveUp: (id) => void begins.delete(id),
    conversations: () => seen.open,
    resting: () => seen.resting,
    handOver: (id) => ({ left: id }),
    problem: () => seen.problem,
  };
  return { egress, begins, seen };
}

type Starting = { role?: ProcessRole; ids?: string[] };

async function setUp(t: TestContext, database: TestDatabase) {
  const { store, close } = await database.open();
  const time = createTestClock();
  const living: { id: string; role: ProcessRole }[] = [];
  const started: EgressKeeper[] = [];
  t.after(async () => {
    await Promise.all(started.map((one) => one.stop()));
    await close();
  });
  async function start(id: string, { role = 'all', ids = ['default'] }: Starting = {}) {
    const condition = { cutOff: false, dead: false };
    living.push({ id, role });
    const engine = createEngineEgress(ids);
    const refuse = () => Promise.reject(new Error('cut off'));
    const keeper = await keepEgress({
      store: {
        read: {
          all: (...asked) => (condition.cutOff ? refuse() : store.read.all(...asked)),
          first: (...asked) => (condition.cutOff ? refuse() : store.read.first(...asked)),
        },
        write: (...asked) => (condition.cutOff ? refuse() : store.write(...asked)),
        notify: () => undefined,
        listen: () => () => undefined,
      },
      clock: {
        now: () => time.now(),
        after: (ms, callback) => time.after(ms, () => (condition.dead ? undefined : callback())),
      },
      wallClock: time.wallClock,
      registry: { ownId: id, findLiving: () => Promise.resolve(living) },
      role,
      engine: { egress: engine.egress },
      hasOutsideProber: () => Promise.resolve(false),
      pacing: 'on',
      onProblem: () => undefined,
    });
    started.push(keeper);
    return {
      ...keeper,
      ...engine,
      mayBegin: () => [...engine.begins].flatMap(([name, end]) => (end > time.now() ? [name] : [])),
      cutOff: () => void (condition.cutOff = true),
      reconnect: () => void (condition.cutOff = false),
      die: () => void Object.assign(condition, { dead: true, cutOff: true }),
    };
  }
  return { store, time, living, start, rows: () => readEgress(store.read) };
}

for (const database of databases) {
  describe(`who owns an egress address on ${database.name}`, () => {
    it('of ten that start at once one does, and the others hand their probes to it', async (t) => {
      const { start } = await setUp(t, database);
      const all = await Promise.all(Array.from({ length: 10 }, (_, n) => start(`p${n}`)));
      await Promise.all(all.map((one) => one.look()));
      assert.equal(all.filter((one) => one.isOurs('default')).length, 1);
      assert.equal(all.flatMap((one) => one.mayBegin()).length, 1);
      const owners = new Set(all.map((one) => one.addresses()[0]?.owner));
      assert.equal(owners.size, 1);
      assert.ok(all.every((one) => one.areAllOurs() === one.isOurs('default')));
    });

    it('the operator sees who asks from it, since when, and how much', async (t) => {
      const { store, time, start } = await setUp(t, database);
      const parts = { store, wallClock: time.wallClock };
      assert.deepEqual(await listEgress(parts), []);
      const one = await start('one');
      Object.assign(one.seen, { open: 3, resting: 2 });
      await one.look();
      const seenAt = time.wallClock.now();
      const shown = {
        name: 'default',
        state: 'well',
        whyNot: null,
        owner: 'one',
        seenAt,
        leaseUntil: seenAt + 34_000,
        conversations: 3,
        resting: 2,
      };
      assert.deepEqual(await listEgress(parts), [shown]);
      Object.assign(one.seen, { open: 0, problem: 'mail_port_blocked' });
      await one.look();
      const [unwell] = await listEgress(parts);
      assert.deepEqual([unwell?.state, unwell?.whyNot], ['unwell', 'mail_port_blocked']);
      assert.equal(unwell?.conversations, 0);
      one.die();
      time.advance(34_000);
      const [free] = await listEgress(parts);
      assert.deepEqual([free?.state, free?.owner, free?.seenAt], ['free', null, null]);
    });

    it('one that stops leaves it with what it counted, and the next begins at once', async (t) => {
      const { time, start, rows } = await setUp(t, database);
      const [one, other] = [await start('one'), await start('other')];
      assert.deepEqual([one.isOurs('default'), other.isOurs('default')], [true, false]);
      assert.deepEqual(one.seen.from, [{ kind: 'nobody' }]);
      await one.stop();
      assert.deepEqual(one.mayBegin(), []);
      time.advance(500);
      await other.look();
      assert.deepEqual(other.mayBegin(), ['default']);
      assert.deepEqual(other.seen.from, [{ kind: 'stopped', handOver: { left: 'default' }, agoMs: 500 }]);
      assert.equal((await rows())[0]?.fence, 2);
    });

    it('after a death the next begins within 35 s, and not within 30 s of the last moment the dead one could', async (t) => {
      const { time, start } = await setUp(t, database);
      const [one, other] = [await start('one'), await start('other')];
      time.advance(1_000);
      await one.look();
      one.die();
      const lastBegin = one.begins.get('default') ?? 0;
      for (let ms = 0; ms < 34_900 && other.mayBegin().length === 0; ms += 100) {
        time.advance(100);
        await other.look();
      }
      assert.deepEqual(other.mayBegin(), ['default']);
      assert.ok(time.now() >= lastBegin + 30_000, `${time.now() - lastBegin} ms after it`);
      const [from] = other.seen.from;
      assert.ok(from?.kind === 'died' && from.agoMs >= 30_000);
    });

    it('one that starts where no other lives takes it within four seconds of a kill, and keeps to half of each limit', async (t) => {
      const { time, start, living } = await setUp(t, database);
      const killed = await start('killed');
      killed.die();
      living.length = 0;
      time.advance(500);
      const again = await start('again');
      assert.deepEqual(again.mayBegin(), [], 'the dead one could still begin');
      for (let ms = 0; ms < 3_600 && again.mayBegin().length === 0; ms += 100) {
        time.advance(100);
        await again.look();
      }
      assert.deepEqual(again.mayBegin(), ['default']);
      assert.ok(time.now() >= (killed.begins.get('default') ?? 0));
      // Half a minute is taken to have passed: half of a limit may be used at once, and the rest after that.
      assert.deepEqual(again.seen.from, [{ kind: 'died', agoMs: 30_000 }]);
    });

    it('one that another was seen beside waits for the whole lease', async (t) => {
      const { time, start, living } = await setUp(t, database);
      const killed = await start('killed');
      const standby = await start('standby');
      killed.die();
      living.shift();
      for (let ms = 0; ms < 20_000; ms += 500) {
        time.advance(500);
        await standby.look();
      }
      assert.deepEqual(standby.mayBegin(), []);
    });

    it('one that stands by is there the moment the lease ends, without a notice', async (t) => {
      const { time, start } = await setUp(t, database);
      const [one, other] = [await start('one'), await start('other')];
      one.die();
      for (let ms = 0; ms < 36_000; ms += 250) {
        time.advance(250);
        // What a timer began is over when a look that was asked for after it is.
        if (ms % 2_000 === 0) await other.look();
      }
      await other.look();
      assert.deepEqual(other.mayBegin(), ['default']);
    });

    it('one that cannot reach the store begins nothing after four seconds, and goes on where nobody took over', async (t) => {
      const { time, start } = await setUp(t, database);
      const one = await start('one');
      one.cutOff();
      time.advance(3_700);
      assert.deepEqual(one.mayBegin(), ['default']);
      time.advance(300);
      await one.look();
      assert.deepEqual(one.mayBegin(), []);
      time.advance(60_000);
      one.reconnect();
      await one.look();
      assert.deepEqual(one.mayBegin(), ['default']);
      assert.equal(one.seen.from.length, 1, 'it never had another owner');
    });

    it('one that stood still while another took over begins nothing when it comes back', async (t) => {
      const { time, start } = await setUp(t, database);
      const [one, other] = [await start('one'), await start('other')];
      one.cutOff();
      time.advance(34_001);
      await other.look();
      assert.deepEqual([one.mayBegin(), other.mayBegin()], [[], ['default']]);
      one.reconnect();
      await one.look();
      assert.deepEqual([one.mayBegin(), one.isOurs('default')], [[], false]);
      assert.equal(one.addresses()[0]?.owner, 'other');
    });

    it('an API asks for itself until a prober comes, and then leaves its address once nothing is open', async (t) => {
      const { start } = await setUp(t, database);
      const api = await start('api', { role: 'api' });
      const worker = await start('worker', { role: 'worker' });
      assert.deepEqual([api.isOurs('default'), worker.isOurs('default')], [true, false]);
      api.seen.open = 1;
      const prober = await start('prober', { role: 'prober' });
      await api.look();
      await prober.look();
      assert.deepEqual([api.mayBegin(), prober.mayBegin()], [[], []], 'a conversation is still open');
      api.seen.open = 0;
      await api.look();
      await prober.look();
      assert.deepEqual([api.isOurs('default'), prober.mayBegin()], [false, ['default']]);
      assert.equal(prober.seen.from[0]?.kind, 'stopped');
    });

    it('an address whose port is blocked is told as one that cannot ask, and why', async (t) => {
      const { start } = await setUp(t, database);
      const [one, other] = [await start('one'), await start('other', { ids: ['default', 'second'] })];
      one.seen.problem = 'mail_port_blocked';
      other.seen.problem = 'mail_port_blocked';
      await Promise.all([one.look(), other.look()]);
      await one.look();
      assert.equal(
        one.problem(),
        'no prober can ask mail hosts: default (mail port blocked), second (mail port blocked)',
      );
      other.seen.problem = undefined;
      await other.look();
      await one.look();
      assert.equal(one.problem(), undefined);
      assert.deepEqual(
        one.addresses().map(({ name, well }) => [name, well]),
        [
          ['default', false],
          ['second', true],
        ],
      );
    });

    it('one that was left is on its way to the next for ten seconds; then there is no prober', async (t) => {
      const { time, start, living } = await setUp(t, database);
      const prober = await start('prober', { role: 'prober' });
      const api = await start('api', { role: 'api' });
      living.push({ id: 'starting', role: 'prober' });
      await prober.stop();
      time.advance(9_000);
      await api.look();
      assert.deepEqual([api.addresses().length, api.problem()], [1, undefined]);
      let changes = 0;
      api.onChange(() => (changes += 1));
      time.advance(1_000);
      await api.look();
      assert.deepEqual([api.addresses().length, changes], [0, 1]);
      assert.match(api.problem() ?? '', /^no prober: /);
    });

    it('one whose owner died is waited for ten seconds more, unless there is another to ask', async (t) => {
      const { time, start } = await setUp(t, database);
      const killed = await start('killed', { role: 'prober' });
      const api = await start('api', { role: 'api' });
      killed.die();
      time.advance(34_000);
      await api.look();
      assert.deepEqual([api.addresses().length, api.problem()], [1, undefined]);
      let changes = 0;
      api.onChange(() => (changes += 1));
      time.advance(9_999);
      await api.look();
      assert.deepEqual([api.addresses().length, changes], [1, 0]);
      time.advance(1);
      await api.look();
      assert.deepEqual([api.addresses().length, changes], [0, 1]);
      assert.match(api.problem() ?? '', /^no prober: /);
      await start('elsewhere', { role: 'prober', ids: ['second'] });
      await api.look();
      assert.deepEqual(
        api.addresses().map(({ name }) => name),
        ['second'],
      );
    });

    it('a worker that is alone with no address of its own says that there is no prober', async (t) => {
      const { start, living } = await setUp(t, database);
      living.push({ id: 'gone', role: 'prober' });
      const worker = await start('worker', { role: 'worker' });
      assert.match(worker.problem() ?? '', /^no prober: /);
      assert.equal(worker.areAllOurs(), false);
    });
  });
}
