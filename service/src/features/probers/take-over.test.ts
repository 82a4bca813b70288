import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databases } from '../../../test/support/databases.ts';
import { startKeepers } from '../../../test/support/start-keepers.ts';
import { statement } from '../../core/store/statement.ts';

/** As a version before this one leaves it. */
const forgetState = statement((db) => db.updateTable('egress_address').set({ state: '', saved_at: 0 }));

for (const database of databases) {
  describe(`an egress address whose owner dies, stands still or leaves, on ${database.name}`, () => {
    it('an owner that is silent and may live keeps it for its whole lease: 30 s beyond its last moment to begin', async (t) => {
      const { time, start } = await startKeepers(t, database);
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

    it('after a kill a stand-by takes it as soon as the dead one can begin nothing, with what that one wrote down', async (t) => {
      const { time, start, told } = await startKeepers(t, database);
      const [killed, standby] = [await start('killed'), await start('standby')];
      time.advance(1_000);
      await killed.look();
      killed.die();
      killed.isFoundDead();
      const lastBegin = killed.begins.get('default') ?? 0;
      for (let ms = 0; ms < 4_000 && standby.mayBegin().length === 0; ms += 100) {
        time.advance(100);
        await standby.look();
        assert.ok(
          standby.mayBegin().length === 0 || time.now() >= lastBegin,
          'the dead one could still begin',
        );
      }
      assert.deepEqual(standby.mayBegin(), ['default']);
      assert.deepEqual(standby.seen.from, [
        { kind: 'died', agoMs: 0, left: { handOver: { left: 'default' }, agoMs: 4_000 } },
      ]);
      assert.deepEqual(told, [
        'standby: the owner of the egress address default is gone: this process takes it over',
      ]);
    });

    it('after a kill the stand-by needs no notice: within 10 s it owns the address', async (t) => {
      const { time, start } = await startKeepers(t, database);
      const [killed, standby] = [await start('killed'), await start('standby')];
      killed.die();
      for (let ms = 0; ms < 10_000; ms += 250) {
        // As long as it takes until a process that was killed is found dead.
        if (ms === 6_000) killed.isFoundDead();
        time.advance(250);
        // What a timer began is over when a look that was asked for after it is.
        if (ms % 2_000 === 0) await standby.look();
      }
      await standby.look();
      assert.deepEqual(standby.mayBegin(), ['default']);
    });

    it('one that starts where no other lives takes it within four seconds of a kill', async (t) => {
      const { time, start, living } = await startKeepers(t, database);
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
    });

    it('a dead owner that wrote nothing down is waited for as if it lived', async (t) => {
      const { time, start, store } = await startKeepers(t, database);
      const [killed, standby] = [await start('killed'), await start('standby')];
      killed.die();
      killed.isFoundDead();
      await store.write((tx) => tx.change(forgetState, {}));
      for (let ms = 0; ms < 20_000; ms += 500) {
        time.advance(500);
        await standby.look();
      }
      assert.deepEqual(standby.mayBegin(), []);
    });

    it('one that stands by is there the moment the lease ends, without a notice', async (t) => {
      const { time, start } = await startKeepers(t, database);
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
      const { time, start } = await startKeepers(t, database);
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
      const { time, start } = await startKeepers(t, database);
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

    it('one that was left is on its way to the next for ten seconds; then there is no prober', async (t) => {
      const { time, start, living } = await startKeepers(t, database);
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

    it('one whose owner is silent is waited for ten seconds, unless that is dead and nobody stands by', async (t) => {
      const { time, start } = await startKeepers(t, database);
      const killed = await start('killed', { role: 'prober' });
      const api = await start('api', { role: 'api' });
      killed.die();
      time.advance(4_000);
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

    it('one whose owner is found dead, with nobody beside it, is not waited for at all', async (t) => {
      const { time, start, history } = await startKeepers(t, database);
      history.hadProber = true;
      const killed = await start('killed', { role: 'prober' });
      const api = await start('api', { role: 'api' });
      killed.die();
      time.advance(4_000);
      await api.look();
      killed.isFoundDead();
      await api.look();
      assert.deepEqual(api.addresses(), []);
      assert.match(api.problem() ?? '', /^no prober: /);
    });
  });
}
