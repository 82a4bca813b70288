import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Outcome, Patience } from '@mailproof/engine';
import { addressOf } from '../../../../test/support/address-of.ts';
import { databases } from '../../../../test/support/databases.ts';
import { addresses, openTaskFixture } from '../../../../test/support/open-task-fixture.ts';
import { deferred, safe, timeout, unavailable, unknown } from '../../../../test/support/outcomes.ts';
import { openAccount } from '../../../../test/support/open-account.ts';
import { createGivenUp } from '../given-up.ts';
import { verifyOne } from '../verify-one.ts';
import { createSlots } from '../slots.ts';
import { mostTasksOfAccount, type Claim } from './claim-task.ts';
import { pendingItems } from './items.ts';
import { runTask } from './run-task.ts';

const never = new AbortController().signal;
type Fixture = Awaited<ReturnType<typeof openTaskFixture>>;

async function statuses(fixture: Fixture, taskId: string): Promise<string[]> {
  const task = await fixture.read(taskId);
  return task.kind === 'task'
    ? (task.results ?? []).map((one) => `${one.status} ${one.explanation?.reason}`)
    : [];
}

/** Runs the task until it is completed, advancing time while it waits. */
async function runToTheEnd(fixture: Fixture, stepMs: number): Promise<number> {
  for (let claims = 0; claims < 100; claims += 1) {
    const claim = await fixture.claim();
    if (claim !== undefined && (await fixture.run(claim)) === 'completed') return claims + 1;
    fixture.time.advance(stepMs);
  }
  throw new Error('the task was never completed');
}

/**
 * Runs a task in a process that dies when person3 is verified. A dead process writes nothing more; here its
 * promises never resolve. With `allAtOnce` the other addresses are still running when it dies.
 */
async function runUntilDeath(fixture: Fixture, claim: Claim, allAtOnce: boolean): Promise<string> {
  const forEver = new Promise<never>(() => undefined);
  let die: () => void = () => undefined;
  const death = new Promise<string>((resolve) => (die = () => resolve('died')));
  const verify = (email: string): Promise<Outcome> => {
    if (email.startsWith('person3')) die();
    return allAtOnce || email.startsWith('person3') ? forEver : Promise.resolve(safe(email));
  };
  return Promise.race([fixture.run(claim, { engine: { verify }, clock: fixture.stoppedClock }), death]);
}

for (const database of databases) {
  describe(`running a task on ${database.name}`, () => {
    it('verifies every address and charges what was conclusive', async () => {
      const fixture = await openTaskFixture(database, 200);
      const id = await fixture.created(fixture.account.live, addresses(100));
      fixture.mind.answer = (email) => (email.includes('7') ? unknown(email) : safe(email));
      assert.equal(await fixture.run((await fixture.claim())!), 'completed');
      const inconclusive = addresses(100).filter((email) => email.includes('7')).length;
      assert.deepEqual(await fixture.balance(), [100 + inconclusive, 0, 100 - inconclusive]);
      assert.equal(
        (await statuses(fixture, id)).filter((status) => status.startsWith('safe')).length,
        100 - inconclusive,
      );
      assert.equal(new Set(fixture.asked).size, 100);
      assert.equal(fixture.asked.length, 100);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });

    it('verifies side by side, and no more at once than the slots allow', async () => {
      const fixture = await openTaskFixture(database);
      await fixture.created(fixture.account.live, addresses(30));
      let now = 0;
      let most = 0;
      fixture.mind.answer = async (email) => {
        most = Math.max(most, (now += 1));
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        return safe(email);
      };
      const slots = createSlots({ clock: fixture.time, limits: { total: 50, perAccount: 10, bulk: 45 } });
      assert.equal(await fixture.run((await fixture.claim())!, { slots }), 'completed');
      assert.equal(most, 10);
      await fixture.close();
    });

    for (const [name, outcome, reason] of [
      ['time-outs', timeout, 'deadline_reached'],
      ['dead resolvers', unavailable, 'dns_servfail'],
    ] as const) {
      it(`${name} end as unknown, at once and free`, async () => {
        const fixture = await openTaskFixture(database);
        const id = await fixture.created(fixture.account.live, addresses(2));
        fixture.mind.answer = () => outcome;
        assert.equal(await fixture.run((await fixture.claim())!), 'completed');
        assert.deepEqual(await statuses(fixture, id), [`unknown ${reason}`, `unknown ${reason}`]);
        assert.deepEqual(await fixture.balance(), [1_000, 0, 0]);
        await fixture.close();
      });
    }

    it('asks a deferring host again after 5 and 10 minutes, holding neither slot nor lease meanwhile', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, ['grey@example.com', 'plain@example.com']);
      const askedAt: number[] = [];
      fixture.mind.answer = (email) => {
        if (email.startsWith('plain')) return safe(email);
        askedAt.push(fixture.time.now() / 60_000);
        return askedAt.length < 3 ? deferred(email) : safe(email);
      };
      assert.equal(await fixture.run((await fixture.claim())!), 'put_back');
      const waiting = await fixture.read(id);
      assert.ok(waiting.kind === 'task' && waiting.status === 'running' && waiting.checked === 1);
      assert.equal(await fixture.claim(), undefined, 'not due yet');
      await runToTheEnd(fixture, 60_000);
      assert.deepEqual(askedAt, [0, 5, 15]);
      assert.deepEqual(await statuses(fixture, id), ['safe mailbox_accepted', 'safe mailbox_accepted']);
      assert.equal(fixture.asked.filter((email) => email.startsWith('plain')).length, 1);
      await fixture.close();
    });

    it('asks a deferring host four times at the most', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, ['grey@example.com']);
      fixture.mind.answer = deferred;
      for (let visit = 0; visit < 10; visit += 1) {
        const claim = await fixture.claim();
        if (claim !== undefined) await fixture.run(claim, { deferRetryMs: 1_000 });
        fixture.time.advance(10_000);
      }
      assert.equal(fixture.asked.length, 4);
      assert.deepEqual(await statuses(fixture, id), ['unknown greylisted']);
      assert.deepEqual(await fixture.balance(), [1_000, 0, 0]);
      await fixture.close();
    });

    it('does not wait for a visit that would come after the deadline', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, ['grey@example.com']);
      fixture.mind.answer = deferred;
      assert.equal(await fixture.run((await fixture.claim())!, { deferRetryMs: 1_800_000 }), 'completed');
      assert.deepEqual(await statuses(fixture, id), ['unknown greylisted']);
      await fixture.close();
    });

    it('at the deadline the rest is unknown and free, even where no worker has room', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, addresses(3));
      fixture.time.advance(1_799_999);
      await fixture.sweep();
      assert.equal(((await fixture.read(id)) as { status: string }).status, 'waiting');
      fixture.time.advance(1);
      await fixture.sweep();
      assert.deepEqual(await statuses(fixture, id), Array(3).fill('unknown deadline_reached'));
      assert.deepEqual(await fixture.balance(), [1_000, 0, 0]);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });

    it('a worker that holds it ends it at the deadline too, keeping what was answered', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, addresses(2));
      fixture.mind.answer = (email) => {
        if (email.startsWith('person0')) return safe(email);
        fixture.time.advance(1_800_000);
        throw new Error('broken off');
      };
      assert.equal(await fixture.run((await fixture.claim())!), 'completed');
      assert.deepEqual(await statuses(fixture, id), ['safe mailbox_accepted', 'unknown deadline_reached']);
      assert.deepEqual(await fixture.balance(), [999, 0, 1]);
      await fixture.close();
    });

    it('an address that throws every time ends as internal_error after three attempts; the others are verified', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, addresses(3));
      fixture.mind.answer = (email) => {
        if (email.startsWith('person1')) throw new Error('a defect');
        return safe(email);
      };
      assert.equal(await fixture.run((await fixture.claim())!), 'completed');
      assert.deepEqual(await statuses(fixture, id), [
        'safe mailbox_accepted',
        'unknown internal_error',
        'safe mailbox_accepted',
      ]);
      assert.equal(fixture.asked.filter((email) => email.startsWith('person1')).length, 3);
      assert.equal(fixture.problems.length, 3);
      await fixture.close();
    });

    it('an address that kills its worker is given up, and no other is blamed for it', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, addresses(5));
      let deaths = 0;
      for (; deaths < 10; deaths += 1) {
        const claim = await fixture.claim();
        assert.ok(claim);
        if ((await runUntilDeath(fixture, claim, deaths === 0)) === 'completed') break;
        fixture.time.advance(30_000);
      }
      assert.equal(deaths, 3);
      const results = await statuses(fixture, id);
      assert.equal(results[3], 'unknown internal_error');
      assert.equal(results.filter((result) => result === 'safe mailbox_accepted').length, 4);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });

    it('draining lets what runs end, begins nothing, and puts the task back at once', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, addresses(4));
      const draining = new AbortController();
      fixture.mind.answer = (email) => {
        draining.abort();
        return safe(email);
      };
      const slots = createSlots({ clock: fixture.time, limits: { total: 1, perAccount: 1, bulk: 1 } });
      const claim = (await fixture.claim())!;
      const answer = await runTask(
        claim,
        { ...fixture.parts, slots },
        { draining: draining.signal, cut: never },
      );
      assert.equal(answer, 'put_back');
      assert.equal(fixture.asked.length, 1);
      const again = await fixture.claim('another process');
      assert.ok(again && again.fence > claim.fence);
      assert.equal(await fixture.run(again), 'completed');
      assert.equal(fixture.asked.length, 4);
      assert.equal((await statuses(fixture, id)).length, 4);
      await fixture.close();
    });

    it('cut short, no address loses an attempt, and each has a signal of its own', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, addresses(3));
      const cut = new AbortController();
      const signals: Patience['signal'][] = [];
      const engine = {
        verify: (_: string, { signal }: Patience) =>
          new Promise<never>((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
            if (signals.push(signal) === 3) cut.abort();
          }),
      };
      const answer = await runTask(
        (await fixture.claim())!,
        { ...fixture.parts, engine },
        { draining: cut.signal, cut: cut.signal },
      );
      assert.equal(answer, 'put_back');
      assert.deepEqual(
        (await pendingItems(fixture.store.read, id)).map(({ attempts }) => attempts),
        [0, 0, 0],
      );
      assert.equal(new Set(signals).size, 3);
      assert.deepEqual(fixture.problems, []);
      await fixture.close();
    });

    it('a worker whose lease was taken over writes nothing and stops', async () => {
      const fixture = await openTaskFixture(database);
      const id = await fixture.created(fixture.account.live, addresses(2));
      const old = (await fixture.claim())!;
      const takeOver = async () => {
        fixture.time.advance(30_000);
        const engine = { verify: (one: string) => Promise.resolve(unknown(one)) };
        assert.equal(await fixture.run((await fixture.claim('successor'))!, { engine }), 'completed');
      };
      let takenOver: Promise<void> | undefined;
      fixture.mind.answer = async (email) => {
        await (takenOver ??= takeOver());
        return safe(email);
      };
      assert.equal(await fixture.run(old, { clock: fixture.stoppedClock }), 'lease_lost');
      assert.deepEqual(await statuses(fixture, id), ['unknown host_refused', 'unknown host_refused']);
      assert.deepEqual(await fixture.balance(), [1_000, 0, 0]);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });

    it('a long run keeps its lease', async () => {
      const fixture = await openTaskFixture(database);
      await fixture.created(fixture.account.live, addresses(1));
      fixture.mind.answer = async (email) => {
        for (let renewals = 0; renewals < 10; renewals += 1) {
          fixture.time.advance(10_000);
          while (fixture.time.timers() === 0) await new Promise((resolve) => setImmediate(resolve));
          assert.equal(await fixture.claim('another'), undefined);
        }
        return safe(email);
      };
      assert.equal(await fixture.run((await fixture.claim())!), 'completed');
      await fixture.close();
    });
  });

  describe(`claims on ${database.name}`, () => {
    it('one task has one holder until the lease ends, and fences only grow', async () => {
      const fixture = await openTaskFixture(database);
      await fixture.created(fixture.account.live, addresses(1));
      const claims = await Promise.all(Array.from({ length: 20 }, () => fixture.claim()));
      assert.equal(claims.filter((claim) => claim !== undefined).length, 1);
      fixture.time.advance(29_999);
      assert.equal(await fixture.claim(), undefined);
      fixture.time.advance(1);
      assert.equal((await fixture.claim())?.fence, 2);
      await fixture.close();
    });

    it('an account with many tasks does not keep another waiting', async () => {
      const fixture = await openTaskFixture(database);
      const other = await openAccount({ store: fixture.store, wallClock: fixture.time.wallClock }, 10);
      for (let n = 0; n < 5; n += 1) await fixture.created(fixture.account.live, addresses(1));
      fixture.time.advance(1);
      await fixture.created(other.live, addresses(1));
      const owners = [await fixture.claim(), await fixture.claim(), await fixture.claim()].map(
        (claim) => claim?.accountId,
      );
      assert.deepEqual(owners, [fixture.account.accountId, other.accountId, fixture.account.accountId]);
      await fixture.close();
    });

    it('an account holds so many tasks at once and no more, however many it has', async () => {
      const fixture = await openTaskFixture(database);
      for (let n = 0; n <= mostTasksOfAccount; n += 1)
        await fixture.created(fixture.account.live, addresses(1));
      const claims: (Claim | undefined)[] = [];
      for (let n = 0; n <= mostTasksOfAccount; n += 1) claims.push(await fixture.claim());
      assert.equal(claims.indexOf(undefined), mostTasksOfAccount);
      assert.equal(await fixture.run(claims[0]!), 'completed');
      assert.notEqual(await fixture.claim(), undefined, 'one ended, the next may begin');
      await fixture.close();
    });

    it('a dead process’s tasks and reservations are free at the next sweep, a living one’s are not', async () => {
      const fixture = await openTaskFixture(database);
      await fixture.created(fixture.account.live, addresses(1));
      const living = await fixture.store.joinRegistry();
      assert.notEqual(await fixture.claim(living.ownId), undefined);
      await fixture.sweep();
      assert.equal(await fixture.claim(), undefined);
      await fixture.kill(living);
      await fixture.sweep();
      assert.equal((await fixture.claim())?.fence, 2);
      await fixture.close();
    });
  });

  describe(`erasure on ${database.name}`, () => {
    it('when its time is over nothing of a task is left in the database', async () => {
      const fixture = await openTaskFixture(database);
      const emails = addresses(50, 'canary.example');
      const id = await fixture.created(fixture.account.live, emails, {
        name: 'canary',
        idempotency: { key: 'canary', bodyHash: 'x' },
      });
      fixture.mind.answer = (email) => (email.length % 2 === 0 ? safe(email) : unknown(email));
      await fixture.run((await fixture.claim())!);
      await verifyOne(
        {
          requestId: randomUUID(),
          caller: fixture.account.live,
          address: addressOf('single@canary.example'),
          idempotency: { key: 'one', bodyHash: 'y' },
          explain: false,
          signal: never,
        },
        {
          ...fixture.parts,
          recall: () => undefined,
          processId: fixture.registry.ownId,
          endStore: fixture.parts.store,
          givenUp: createGivenUp(fixture.parts),
          singleTimeoutMs: 1_000,
        },
      );
      const found = async () => (await fixture.contents()).includes('canary');
      assert.equal(await found(), true);
      await fixture.sweep();
      assert.equal((await fixture.read(id)).kind, 'task');
      fixture.time.advance(15 * 86_400_000);
      await fixture.sweep();
      assert.deepEqual(await fixture.read(id), { kind: 'task_not_found' });
      assert.equal(await found(), false);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });
  });
}
