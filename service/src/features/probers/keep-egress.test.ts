import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databases } from '../../../test/support/databases.ts';
import { startKeepers } from '../../../test/support/start-keepers.ts';
import { listEgress } from './list-egress.ts';

for (const database of databases) {
  describe(`who owns an egress address on ${database.name}`, () => {
    it('of ten that start at once one does, and the others hand their probes to it', async (t) => {
      const { start } = await startKeepers(t, database);
      const all = await Promise.all(Array.from({ length: 10 }, (_, n) => start(`p${n}`)));
      await Promise.all(all.map((one) => one.look()));
      assert.equal(all.filter((one) => one.isOurs('default')).length, 1);
      assert.equal(all.flatMap((one) => one.mayBegin()).length, 1);
      const owners = new Set(all.map((one) => one.addresses()[0]?.owner));
      assert.equal(owners.size, 1);
      assert.ok(all.every((one) => one.areAllOurs() === one.isOurs('default')));
    });

    it('the operator sees who asks from it, since when, and how much', async (t) => {
      const { store, time, start } = await startKeepers(t, database);
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
      const { time, start, rows } = await startKeepers(t, database);
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

    it('an API asks for itself until a prober comes, and then leaves its address once nothing is open', async (t) => {
      const { start } = await startKeepers(t, database);
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
      const { start } = await startKeepers(t, database);
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

    for (const role of ['api', 'worker'] as const)
      it(`where there ever was a prober, role ${role} takes no address, and says once that nobody can ask`, async (t) => {
        const { time, start, living, history, told, rows } = await startKeepers(t, database);
        const prober = await start('prober', { role: 'prober' });
        const other = await start('other', { role });
        await prober.stop();
        living.shift();
        history.hadProber = true;
        for (let ms = 0; ms < 60_000; ms += 2_000) {
          time.advance(2_000);
          await other.look();
        }
        assert.deepEqual([other.mayBegin(), other.areAllOurs(), other.isOurs('default')], [[], false, false]);
        assert.equal((await rows())[0]?.owner, '');
        assert.match(other.problem() ?? '', /^no prober: /);
        const ownLines = () => told.filter((line) => line.startsWith('other: '));
        assert.deepEqual(ownLines(), [`other: ${other.problem() ?? ''}`]);
        const next = await start('next', { role: 'prober' });
        await other.look();
        assert.deepEqual(next.mayBegin(), ['default']);
        assert.deepEqual(ownLines().slice(1), ['other: mail hosts can be asked again']);
      });

    it('a worker that is alone with no address of its own says that there is no prober', async (t) => {
      const { start, living } = await startKeepers(t, database);
      living.push({ id: 'gone', role: 'prober' });
      const worker = await start('worker', { role: 'worker' });
      assert.match(worker.problem() ?? '', /^no prober: /);
      assert.equal(worker.areAllOurs(), false);
    });
  });
}
