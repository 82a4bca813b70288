import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { defaultPoliteness } from './default-politeness.ts';
import type { Destination } from './policy.ts';
import type { SessionOutcome } from './session-outcome.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { createPacer, type Pacer } from './create-pacer.ts';
import { networkOf } from '../net/network-of.ts';
import { createLeaseStoreInMemory } from '../../test/support/lease-store-in-memory.ts';
import type { LeaseStore } from './lease-store.ts';

/**
 * Several processes with the same few hosts, on one virtual clock: they come and go, are killed, and lose sight of the
 * lease store. However it goes, together they do no more than one may, and every address is served.
 */
const clean: SessionOutcome = {
  connected: true,
  fault: undefined,
  turnedAway: undefined,
  mailboxes: [],
};

/** Two groups at one address, a group over two networks, and neighbours in a network. */
const places: [address: string, group: string][] = [
  ['192.0.2.1', 'one.example'],
  ['192.0.2.1', 'two.example'],
  ['192.0.2.2', 'two.example'],
  ['198.51.100.1', 'two.example'],
  ['198.51.100.2', 'three.example'],
];

function destination(place: number): Destination {
  const [address, group] = places[place % places.length] ?? ['192.0.2.1', 'one.example'];
  return {
    target: { host: `mx.${group}` as CanonicalHost, address },
    policy: { group, asking: 'probe', politeness: defaultPoliteness, routes: undefined },
  };
}

type Job = { to: Destination; sessionMs: number };

type Event =
  | { kind: 'work'; at: number; process: number; place: number; jobs: number; sessionMs: number }
  | { kind: 'join' | 'leave' | 'kill'; at: number; process: number }
  | { kind: 'cut_off'; at: number; process: number; forMs: number };

/** Watches all of them from the hosts' side. */
function createWitness(clock: TestClock) {
  const faults: string[] = [];
  const open = new Map<string, number>();
  const openedAt = new Map<string, number[]>();
  const keysOf = ({ target, policy }: Destination): [key: string, most: number][] => [
    [`address ${target.address}`, defaultPoliteness.conversationsPerAddress],
    [`network ${networkOf(target.address)}`, defaultPoliteness.conversationsPerNetwork],
    [`group ${policy.group}`, defaultPoliteness.conversationsPerGroup],
  ];
  return {
    faults,
    opened(to: Destination): void {
      for (const [key, most] of keysOf(to)) {
        const now = (open.get(key) ?? 0) + 1;
        if (now > most) faults.push(`${key}: ${now} conversations at once`);
        open.set(key, now);
        if (key.startsWith('network')) continue;
        const times = [...(openedAt.get(key) ?? []), clock.now()];
        openedAt.set(key, times);
        const gapMs = (times.at(-1) ?? 0) - (times.at(-2) ?? -Infinity);
        if (gapMs < 1_000) faults.push(`${key}: ${gapMs} ms after the connection before`);
        const inMinute = times.filter((at) => at > clock.now() - 60_000).length;
        if (inMinute > defaultPoliteness.connectionsPerMinute) faults.push(`${key}: ${inMinute} in a minute`);
      }
    },
    closed(to: Destination): void {
      for (const [key] of keysOf(to)) open.set(key, (open.get(key) ?? 0) - 1);
    },
  };
}

/** One process: the jobs that wait, and a pacer that shares the lease store. */
function startProcess(parts: {
  clock: TestClock;
  store: LeaseStore;
  witness: ReturnType<typeof createWitness>;
  onServed: () => void;
}) {
  const { clock, witness } = parts;
  let cutOffUntil = -Infinity;
  let alive = true;
  let killed = false;
  let nextLook = -Infinity;
  const waiting: Job[] = [];
  const inSession = new Map<Job, () => void>();
  const store: LeaseStore = {
    ...parts.store,
    async exchange(exchange) {
      await pass(clock, 5);
      if (killed) return new Promise(() => undefined);
      // Half of those that fail arrive all the same.
      const isCutOff = clock.now() < cutOffUntil;
      if (isCutOff && Math.floor(clock.now()) % 2 === 0) throw new Error('cut off');
      const leases = await parts.store.exchange(exchange);
      await pass(clock, 5);
      if (isCutOff) throw new Error('cut off');
      return leases;
    },
  };
  const leases = { store, onProblem: () => undefined };
  const pacer = createPacer({ clock, random: () => 0, backsOff: true, onRest: () => undefined, leases });
  pacer.onFree(dispatch);

  /** One timer is enough: whoever is still too early then sets the next. */
  function comeBack(time: number): void {
    if (nextLook > clock.now() && nextLook <= time) return;
    nextLook = time;
    clock.after(time - clock.now(), dispatch);
  }
  function dispatch(): void {
    for (const job of [...waiting]) if (alive) tryToBegin(job, pacer);
  }
  function tryToBegin(job: Job, by: Pacer): void {
    const permission = by.mayOpen(job.to);
    if (permission.kind === 'wait' && permission.until !== undefined) comeBack(permission.until);
    if (permission.kind !== 'open') return;
    waiting.splice(waiting.indexOf(job), 1);
    witness.opened(job.to);
    by.opened(job.to);
    inSession.set(
      job,
      clock.after(job.sessionMs, () => {
        inSession.delete(job);
        witness.closed(job.to);
        by.closed(job.to, clean);
        parts.onServed();
        dispatch();
      }),
    );
  }
  return {
    isAlive: () => alive,
    give(jobs: Job[]): void {
      waiting.push(...jobs);
      dispatch();
    },
    cutOff: (forMs: number): void => void (cutOffUntil = clock.now() + forMs),
    /** Its sockets are closed by the system, and its addresses are somebody else's. */
    kill(): Job[] {
      alive = false;
      killed = true;
      for (const [job, cancel] of inSession) {
        cancel();
        witness.closed(job.to);
      }
      return [...waiting, ...inSession.keys()];
    },
    /** What it is in session with it brings to an end; the rest is somebody else's. */
    leave(): Job[] {
      alive = false;
      const end = (): void => {
        if (inSession.size === 0) pacer.stop();
        else clock.after(100, end);
      };
      end();
      return waiting.splice(0);
    },
  };
}

function pass(clock: TestClock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

async function live(events: Event[], lendsAllHosts: boolean): Promise<void> {
  const clock = createTestClock();
  const openStore = createLeaseStoreInMemory(clock, lendsAllHosts);
  const witness = createWitness(clock);
  let owed = 0;
  let names = 0;
  const start = () =>
    startProcess({ clock, witness, store: openStore(`p${(names += 1)}`), onServed: () => (owed -= 1) });
  const all = [start(), start(), start()];
  const living = (index: number) => {
    const alive = all.filter((one) => one.isAlive());
    return alive[index % alive.length];
  };
  /** Somebody else goes on with what a process left, a little later; nobody is ever the last to go. */
  const remove = (index: number, how: 'kill' | 'leave'): void => {
    if (all.filter((one) => one.isAlive()).length < 2) return;
    const left = living(index)?.[how]() ?? [];
    clock.after(3_000, () => living(index)?.give(left));
  };
  let coming = events.length;
  for (const event of events) {
    clock.after(event.at, () => {
      coming -= 1;
      switch (event.kind) {
        case 'work': {
          const { jobs, place, sessionMs } = event;
          owed += jobs;
          living(event.process)?.give(
            Array.from({ length: jobs }, (_, n) => ({ to: destination(place + (n % 2)), sessionMs })),
          );
          return;
        }
        case 'join':
          all.push(start());
          return;
        case 'leave':
        case 'kill':
          remove(event.process, event.kind);
          return;
        case 'cut_off':
          living(event.process)?.cutOff(event.forMs);
      }
    });
  }
  for (let steps = 0; coming > 0 || owed > 0; steps += 1) {
    assert.ok(steps < 200_000 && clock.now() < 7_200_000, `${owed} addresses wait after two hours`);
    clock.step();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(witness.faults, []);
  }
}

const at = fc.integer({ min: 0, max: 120_000 });
const process = fc.nat(5);
const work = fc.record({
  kind: fc.constant('work' as const),
  at,
  process,
  place: fc.oneof(fc.constant(0), fc.nat(places.length - 1)),
  jobs: fc.integer({ min: 1, max: 20 }),
  // Short ones come up against the rates, long ones against the number at once.
  sessionMs: fc.oneof(fc.integer({ min: 50, max: 500 }), fc.integer({ min: 500, max: 20_000 })),
});
const comeAndGo = fc.record({ kind: fc.constantFrom('join', 'leave', 'kill'), at, process });
const stay = fc.record({ kind: fc.constant('join' as const), at, process });
const cutOff = fc.record({
  kind: fc.constant('cut_off' as const),
  at,
  process,
  forMs: fc.integer({ min: 1_000, max: 90_000 }),
});

const history = (change: fc.Arbitrary<Event>): fc.Arbitrary<Event[]> =>
  fc
    .tuple(
      fc.array(work, { minLength: 1, maxLength: 15 }),
      fc.array(fc.oneof(change, cutOff), { maxLength: 6 }),
    )
    .map(([jobs, changes]) => [...jobs, ...changes]);

test('together they do no more than one may, and every address is served', async () => {
  await fc.assert(
    fc.asyncProperty(history(comeAndGo), (events) => live(events, false)),
    { numRuns: 25 },
  );
});

test('so they do where one that is alone has the lease of all hosts', async () => {
  await fc.assert(
    fc.asyncProperty(history(stay), (events) => live(events, true)),
    { numRuns: 25 },
  );
});
