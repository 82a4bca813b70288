import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Outcome } from '@mailproof/engine';
import { addressOf } from '../../test/support/address-of.ts';
import { databases } from '../../test/support/databases.ts';
import { addresses, openTaskHouse } from '../../test/support/open-task-house.ts';
import { deferred, safe, timeout, unavailable, unknown } from '../../test/support/outcomes.ts';
import { openAccount } from '../../test/support/open-account.ts';
import { verifyOne } from '../verifications/verify-one.ts';
import { createSlots } from '../verifications/slots.ts';
import { mostTasksOfAccount, type Claim } from './claim-task.ts';
import { pendingItems } from './items.ts';
import { runTask } from './run-task.ts';

const never = new AbortController().signal;
type House = Awaited<ReturnType<typeof openTaskHouse>>;

async function statuses(house: House, taskId: string): Promise<string[]> {
  const task = await house.read(taskId);
  return task.kind === 'task'
    ? (task.results ?? []).map((one) => `${one.status} ${one.explanation?.reason}`)
    : [];
}

/** Runs the task until it is completed, moving time on where it waits. */
async function runToTheEnd(house: House, stepMs: number): Promise<number> {
  for (let claims = 0; claims < 100; claims += 1) {
    const claim = await house.claim();
    if (claim !== undefined && (await house.run(claim)) === 'completed') return claims + 1;
    house.time.advance(stepMs);
  }
  throw new Error('the task was never completed');
}

/**
 * Runs a task in a process that dies when person3 is verified. A dead process writes nothing more: here, nothing that
 * it waits for ever comes. With `allAtOnce` the other addresses are still under way when it dies.
 */
async function runUntilDeath(house: House, claim: Claim, allAtOnce: boolean): Promise<string> {
  const forEver = new Promise<never>(() => undefined);
  let die: () => void = () => undefined;
  const death = new Promise<string>((resolve) => (die = () => resolve('died')));
  const verify = (email: string): Promise<Outcome> => {
    if (email.startsWith('person3')) die();
    return allAtOnce || email.startsWith('person3') ? forEver : Promise.resolve(safe(email));
  };
  return Promise.race([house.run(claim, { engine: { verify }, clock: house.stoppedClock }), death]);
}

for (const database of databases) {
  describe(`running a task on ${database.name}`, () => {
    it('verifies every address and charges what was conclusive', async () => {
      const house = await openTaskHouse(database, 200);
      const id = await house.created(house.account.live, addresses(100));
      house.mind.answer = (email) => (email.includes('7') ? unknown(email) : safe(email));
      assert.equal(await house.run((await house.claim())!), 'completed');
      const inconclusive = addresses(100).filter((email) => email.includes('7')).length;
      assert.deepEqual(await house.balance(), [100 + inconclusive, 0, 100 - inconclusive]);
      assert.equal(
        (await statuses(house, id)).filter((status) => status.startsWith('safe')).length,
        100 - inconclusive,
      );
      assert.equal(new Set(house.asked).size, 100);
      assert.equal(house.asked.length, 100);
      assert.deepEqual(await house.violations(), []);
      await house.close();
    });

    it('verifies side by side, and no more at once than the slots allow', async () => {
      const house = await openTaskHouse(database);
      await house.created(house.account.live, addresses(30));
      let now = 0;
      let most = 0;
      house.mind.answer = async (email) => {
        most = Math.max(most, (now += 1));
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        return safe(email);
      };
      const slots = createSlots({ clock: house.time, limits: { total: 50, perAccount: 10, bulk: 45 } });
      assert.equal(await house.run((await house.claim())!, { slots }), 'completed');
      assert.equal(most, 10);
      await house.close();
    });

    for (const [name, outcome, reason] of [
      ['time-outs', timeout, 'deadline_reached'],
      ['dead resolvers', unavailable, 'dns_servfail'],
    ] as const) {
      it(`${name} end as unknown, at once and free`, async () => {
        const house = await openTaskHouse(database);
        const id = await house.created(house.account.live, addresses(2));
        house.mind.answer = () => outcome;
        assert.equal(await house.run((await house.claim())!), 'completed');
        assert.deepEqual(await statuses(house, id), [`unknown ${reason}`, `unknown ${reason}`]);
        assert.deepEqual(await house.balance(), [1_000, 0, 0]);
        await house.close();
      });
    }

    it('asks a deferring host again after 5 and 10 minutes, holding neither slot nor lease meanwhile', async () => {
      const house = await openTaskHouse(database);
      const id = await house.created(house.account.live, ['grey@example.com', 'plain@example.com']);
      const askedAt: number[] = [];
      house.mind.answer = (email) => {
        if (email.startsWith('plain')) return safe(email);
        askedAt.push(house.time.now() / 60_000);
        return askedAt.length < 3 ? deferred(email) : safe(email);
      };
      assert.equal(await house.run((await house.claim())!), 'put_back');
      const waiting = await house.read(id);
      assert.ok(waiting.kind === 'task' && waiting.status === 'running' && waiting.checked === 1);
      assert.equal(await house.claim(), undefined, 'not due yet');
      await runToTheEnd(house, 60_000);
      assert.deepEqual(askedAt, [0, 5, 15]);
      assert.deepEqual(await statuses(house, id), ['safe mailbox_accepted', 'safe mailbox_accepted']);
      assert.equal(house.asked.filter((email) => email.startsWith('plain')).length, 1);
      await house.close();
    });

    it('asks a deferring host four times at the most', async () => {
      const house = await openTaskHouse(database);
      const id = await house.created(house.account.live, ['grey@example.com']);
      house.mind.answer = deferred;
      for (let visit = 0; visit < 10; visit += 1) {
        const claim = await house.claim();
        if (claim !== undefined) await house.run(claim, { deferRetryMs: 1_000 });
        house.time.advance(10_000);
      }
      assert.equal(house.asked.length, 4);
      assert.deepEqual(await statuses(house, id), ['unknown greylisted']);
      assert.deepEqual(await house.balance(), [1_000, 0, 0]);
      await house.close();
    });

    it('does not wait for a visit that would come after the deadline', async () => {
      const house = await openTaskHouse(database);
      const id = await house.created(house.account.live, ['grey@example.com']);
      house.mind.answer = deferred;
      assert.equal(await house.run((await house.claim())!, { deferRetryMs: 1_800_000 }), 'completed');
      assert.deepEqual(await statuses(house, id), ['unknown greylisted']);
      await house.close();
    });

    it('at the deadline the rest is unknown and free, even where no worker has room', async () => {
      const house = await openTaskHouse(database);
      const id = await house.created(house.account.live, addresses(3));
      house.time.advance(1_799_999);
      await house.sweep();
      assert.equal(((await house.read(id)) as { status: string }).status, 'waiting');
      house.time.advance(1);
      await house.sweep();
      assert.deepEqual(await statuses(house, id), Array(3).fill('unknown deadline_reached'));
      assert.deepEqual(await house.balance(), [1_000, 0, 0]);
      assert.deepEqual(await house.violations(), []);
      await house.close();
    });

    it('a worker that holds it ends it at the deadline too, keeping what was answered', async () => {
      const house = await openTaskHouse(database);
      const id = await house.created(house.account.live, addresses(2));
      house.mind.answer = (email) => {
        if (email.startsWith('person0')) return safe(email);
        house.time.advance(1_800_000);
        throw new Error('broken off');
      };
      assert.equal(await house.run((await house.claim())!), 'completed');
      assert.deepEqual(await statuses(house, id), ['safe mailbox_accepted', 'unknown deadline_reached']);
      assert.deepEqual(await house.balance(), [999, 0, 1]);
      await house.close();
    });

    it('an address that throws every time ends as internal_error after three attempts; the others are verified', async () => {
      const house = await openTaskHouse(database);
      const id = await house.created(house.account.live, addresses(3));
      house.mind.answer = (email) => {
        if (email.startsWith('person1')) throw new Error('a defect');
        return safe(email);
      };
      assert.equal(await house.run((await house.claim())!), 'completed');
      assert.deepEqual(await statuses(house, id), [
        'safe mailbox_accepted',
        'unknown internal_error',
        'safe mailbox_accepted',
      ]);
      assert.equal(house.asked.filter((email) => email.startsWith('person1')).length, 3);
      assert.equal(house.problems.length, 3);
      await house.close();
    });

    it('an address that kills its worker is given up, and no other is blamed for it', async () => {
      const house = await openTaskHouse(database);
      const id = await house.created(house.account.live, addresses(5));
      let deaths = 0;
      for (; deaths < 10; deaths += 1) {
        const claim = await house.claim();
        assert.ok(claim);
        if ((await runUntilDeath(house, claim, deaths === 0)) === 'completed') break;
        house.time.advance(30_000);
      }
      assert.equal(deaths, 3);
      const results = await statuses(house, id);
      assert.equal(results[3], 'unknown internal_error');
      assert.equal(results.filter((result) => result === 'safe mailbox_accepted').length, 4);
      assert.deepEqual(await house.violations(), []);
      await house.close();
    });

    it('draining lets what runs end, begins nothing, and puts the task back at once', async () => {
      const house = await openTaskHouse(database);
      const id = await house.created(house.account.live, addresses(4));
      const draining = new AbortController();
      house.mind.answer = (email) => {
        draining.abort();
        return safe(email);
      };
      const slots = createSlots({ clock: house.time, limits: { total: 1, perAccount: 1, bulk: 1 } });
      const claim = (await house.claim())!;
      const answer = await runTask(
        claim,
        { ...house.parts, slots },
        { draining: draining.signal, cut: never },
      );
      assert.equal(answer, 'put_back');
      assert.equal(house.asked.length, 1);
      const again = await house.claim('another process');
      assert.ok(again && again.fence > claim.fence);
      assert.equal(await house.run(again), 'completed');
      assert.equal(house.asked.length, 4);
      assert.equal((await statuses(house, id)).length, 4);
      await house.close();
    });

    it('cut short, an address loses no attempt', async () => {
      const house = await openTaskHouse(database);
      const id = await house.created(house.account.live, addresses(1));
      const cut = new AbortController();
      const engine = {
        verify: (_: string, { signal }: { signal: AbortSignal }) =>
          new Promise<never>((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
            cut.abort();
          }),
      };
      const answer = await runTask(
        (await house.claim())!,
        { ...house.parts, engine },
        { draining: cut.signal, cut: cut.signal },
      );
      assert.equal(answer, 'put_back');
      assert.deepEqual(
        (await pendingItems(house.store.read, id)).map(({ attempts }) => attempts),
        [0],
      );
      assert.deepEqual(house.problems, []);
      await house.close();
    });

    it('a worker whose lease was taken over writes nothing and stops', async () => {
      const house = await openTaskHouse(database);
      const id = await house.created(house.account.live, addresses(2));
      const old = (await house.claim())!;
      const takeOver = async () => {
        house.time.advance(30_000);
        const engine = { verify: (one: string) => Promise.resolve(unknown(one)) };
        assert.equal(await house.run((await house.claim('successor'))!, { engine }), 'completed');
      };
      let takenOver: Promise<void> | undefined;
      house.mind.answer = async (email) => {
        await (takenOver ??= takeOver());
        return safe(email);
      };
      assert.equal(await house.run(old, { clock: house.stoppedClock }), 'lease_lost');
      assert.deepEqual(await statuses(house, id), ['unknown host_refused', 'unknown host_refused']);
      assert.deepEqual(await house.balance(), [1_000, 0, 0]);
      assert.deepEqual(await house.violations(), []);
      await house.close();
    });

    it('a long run keeps its lease', async () => {
      const house = await openTaskHouse(database);
      await house.created(house.account.live, addresses(1));
      house.mind.answer = async (email) => {
        for (let renewals = 0; renewals < 10; renewals += 1) {
          house.time.advance(10_000);
          while (house.time.timers() === 0) await new Promise((resolve) => setImmediate(resolve));
          assert.equal(await house.claim('another'), undefined);
        }
        return safe(email);
      };
      assert.equal(await house.run((await house.claim())!), 'completed');
      await house.close();
    });
  });

  describe(`claims on ${database.name}`, () => {
    it('one task has one holder until the lease ends, and fences only grow', async () => {
      const house = await openTaskHouse(database);
      await house.created(house.account.live, addresses(1));
      const claims = await Promise.all(Array.from({ length: 20 }, () => house.claim()));
      assert.equal(claims.filter((claim) => claim !== undefined).length, 1);
      house.time.advance(29_999);
      assert.equal(await house.claim(), undefined);
      house.time.advance(1);
      assert.equal((await house.claim())?.fence, 2);
      await house.close();
    });

    it('an account with many tasks does not keep another waiting', async () => {
      const house = await openTaskHouse(database);
      const other = await openAccount({ store: house.store, wallClock: house.time.wallClock }, 10);
      for (let n = 0; n < 5; n += 1) await house.created(house.account.live, addresses(1));
      house.time.advance(1);
      await house.created(other.live, addresses(1));
      const owners = [await house.claim(), await house.claim(), await house.claim()].map(
        (claim) => claim?.accountId,
      );
      assert.deepEqual(owners, [house.account.accountId, other.accountId, house.account.accountId]);
      await house.close();
    });

    it('an account holds so many tasks at once and no more, however many it has', async () => {
      const house = await openTaskHouse(database);
      for (let n = 0; n <= mostTasksOfAccount; n += 1) await house.created(house.account.live, addresses(1));
      const claims: (Claim | undefined)[] = [];
      for (let n = 0; n <= mostTasksOfAccount; n += 1) claims.push(await house.claim());
      assert.equal(claims.indexOf(undefined), mostTasksOfAccount);
      assert.equal(await house.run(claims[0]!), 'completed');
      assert.notEqual(await house.claim(), undefined, 'one ended, the next may begin');
      await house.close();
    });

    it('a dead process’s tasks and reservations are free at the next sweep, a living one’s are not', async () => {
      const house = await openTaskHouse(database);
      await house.created(house.account.live, addresses(1));
      const living = await house.store.joinRegistry();
      assert.notEqual(await house.claim(living.ownId), undefined);
      await house.sweep();
      assert.equal(await house.claim(), undefined);
      await house.kill(living);
      await house.sweep();
      assert.equal((await house.claim())?.fence, 2);
      await house.close();
    });
  });

  describe(`erasure on ${database.name}`, () => {
    it('when its time is over nothing of a task is left in the database', async () => {
      const house = await openTaskHouse(database);
      const emails = addresses(50, 'canary.example');
      const id = await house.created(house.account.live, emails, {
        name: 'canary',
        idempotency: { key: 'canary', bodyHash: 'x' },
      });
      house.mind.answer = (email) => (email.length % 2 === 0 ? safe(email) : unknown(email));
      await house.run((await house.claim())!);
      await verifyOne(
        {
          requestId: randomUUID(),
          caller: house.account.live,
          address: addressOf('single@canary.example'),
          idempotency: { key: 'one', bodyHash: 'y' },
          explain: false,
          signal: never,
        },
        {
          ...house.parts,
          recall: () => undefined,
          processId: house.registry.ownId,
          singleTimeoutMs: 1_000,
        },
      );
      const found = async () => (await house.contents()).includes('canary');
      assert.equal(await found(), true);
      await house.sweep();
      assert.equal((await house.read(id)).kind, 'task');
      house.time.advance(15 * 86_400_000);
      await house.sweep();
      assert.deepEqual(await house.read(id), { kind: 'task_not_found' });
      assert.equal(await found(), false);
      assert.deepEqual(await house.violations(), []);
      await house.close();
    });
  });
}
