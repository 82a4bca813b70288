/** Keepers of egress addresses on one store, with a clock that tests turn and a registry that they fill. */
import type { TestContext } from 'node:test';
import type { Engine, Predecessor } from '@mailproof/engine';
import { createTestClock } from '../../../engine/test/support/test-clock.ts';
import type { ProcessRole } from '../../src/core/store/process-registry.ts';
import { readEgress } from '../../src/features/probers/egress-addresses.ts';
import { keepEgress, type EgressKeeper } from '../../src/features/probers/keep-egress.ts';
import type { TestDatabase } from './databases.ts';

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

export async function startKeepers(t: TestContext, database: TestDatabase) {
  const { store, close } = await database.open();
  const time = createTestClock();
  const living: { id: string; role: ProcessRole }[] = [];
  const dead = new Set<string>();
  const told: string[] = [];
  const history = { hadProber: false };
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
      registry: {
        ownId: id,
        findLiving: () => Promise.resolve(living),
        findDead: () => Promise.resolve([...dead]),
      },
      role,
      engine: { egress: engine.egress },
      hadProber: () => Promise.resolve(history.hadProber),
      pacing: 'on',
      onProblem: (message) => void told.push(`${id}: ${message}`),
      onRecovery: (message) => void told.push(`${id}: ${message}`),
    });
    started.push(keeper);
    return {
      ...keeper,
      ...engine,
      mayBegin: () => [...engine.begins].flatMap(([name, end]) => (end > time.now() ? [name] : [])),
      cutOff: () => void (condition.cutOff = true),
      reconnect: () => void (condition.cutOff = false),
      die: () => void Object.assign(condition, { dead: true, cutOff: true }),
      /** Its process is gone, and the registry knows. */
      isFoundDead: () => void dead.add(id),
    };
  }
  return { store, time, living, told, history, start, rows: () => readEgress(store.read) };
}
