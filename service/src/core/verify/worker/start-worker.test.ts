import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from '../../../../../engine/test/support/test-clock.ts';
import { startWorker, workerLimits, type WorkerSignals } from './start-worker.ts';

const limits = { tasksAtOnce: 2, pollMs: 1_000, drainMs: 20_000 };

async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function setUp(waiting: string[]) {
  const time = createTestClock();
  const log: string[] = [];
  const problems: string[] = [];
  const ends = new Map<string, () => void>();
  let broken = false;
  const worker = startWorker({
    claim: () => {
      log.push('claim');
      return broken ? Promise.reject(new Error('store')) : Promise.resolve(waiting.shift());
    },
    run: (task: string, { draining, cut }: WorkerSignals) =>
      new Promise<void>((resolve, reject) => {
        log.push(`run ${task}`);
        draining.addEventListener('abort', () => log.push(`${task} drains`));
        cut.addEventListener('abort', () => {
          log.push(`${task} cut`);
          resolve();
        });
        ends.set(task, task === 'bad' ? () => reject(new Error('defect')) : resolve);
      }),
    clock: time,
    limits,
    onProblem: (message) => problems.push(message),
  });
  const runs = () => log.filter((line) => line.startsWith('run'));
  const end = async (task: string) => {
    ends.get(task)?.();
    await settle();
  };
  return { time, worker, waiting, log, problems, runs, end, breakStore: (is: boolean) => (broken = is) };
}

describe('the worker', () => {
  it('runs what there is, several at once, and no more than it may', async () => {
    const { worker, runs, end } = setUp(['a', 'b', 'c']);
    await settle();
    assert.deepEqual(runs(), ['run a', 'run b']);
    await end('a');
    assert.deepEqual(runs(), ['run a', 'run b', 'run c']);
    await Promise.all([end('b'), end('c'), worker.stop()]);
  });

  it('is woken by a new task, and polls where nobody wakes it', async () => {
    const { worker, waiting, runs, time, end } = setUp([]);
    await settle();
    waiting.push('a');
    await settle();
    assert.deepEqual(runs(), []);
    worker.wake();
    await settle();
    assert.deepEqual(runs(), ['run a']);
    waiting.push('b');
    time.advance(1_000);
    await settle();
    assert.deepEqual(runs(), ['run a', 'run b']);
    await Promise.all([end('a'), end('b'), worker.stop()]);
  });

  it('a wake while it is claiming is not lost', async () => {
    const { worker, waiting, runs, end } = setUp([]);
    waiting.push('a');
    worker.wake();
    await settle();
    assert.deepEqual(runs(), ['run a']);
    await Promise.all([end('a'), worker.stop()]);
  });

  it('is woken once in a moment for new tasks that it cannot claim, and at once where a place is free', async () => {
    const { worker, waiting, log, runs, time, end } = setUp(['a']);
    await settle();
    const claims = () => log.filter((line) => line === 'claim').length;
    const before = claims();
    for (let task = 0; task < 100; task += 1) {
      worker.wake();
      await settle();
    }
    assert.equal(claims(), before + 1);
    time.advance(50);
    await settle();
    assert.equal(claims(), before + 2, 'the calls meanwhile were not lost');
    waiting.push('b');
    worker.wake();
    await end('a');
    assert.deepEqual(runs(), ['run a', 'run b']);
    await Promise.all([end('b'), worker.stop()]);
    assert.equal(time.timers(), 0);
  });

  it('asks no more often than it polls while there is nothing', async () => {
    const { worker, log, time } = setUp([]);
    await settle();
    for (let second = 0; second < 5; second += 1) {
      time.advance(1_000);
      await settle();
    }
    assert.equal(log.length, 6);
    await worker.stop();
  });

  it('goes on after a task that fails and after a store that fails', async () => {
    const { worker, waiting, runs, problems, time, end, breakStore } = setUp(['bad']);
    await settle();
    await end('bad');
    breakStore(true);
    time.advance(1_000);
    await settle();
    breakStore(false);
    waiting.push('good');
    time.advance(1_000);
    await settle();
    assert.deepEqual(runs(), ['run bad', 'run good']);
    assert.equal(problems.length, 2);
    await Promise.all([end('good'), worker.stop()]);
  });

  it('stopping claims nothing more and waits for what runs', async () => {
    const { worker, waiting, log, runs, time, end } = setUp(['a']);
    await settle();
    let stopped = false;
    const stopping = worker.stop().then(() => (stopped = true));
    waiting.push('b');
    worker.wake();
    time.advance(5_000);
    await settle();
    assert.equal(stopped, false);
    assert.ok(log.includes('a drains'));
    await end('a');
    await stopping;
    assert.deepEqual(runs(), ['run a']);
    assert.equal(log.includes('a cut'), false);
    assert.equal(time.timers(), 0);
  });

  it('cuts what has not ended within its bound', async () => {
    const { worker, log, time } = setUp(['a']);
    await settle();
    const stopping = worker.stop();
    await settle();
    time.advance(20_000);
    await stopping;
    assert.ok(log.includes('a cut'));
  });

  it('takes no more tasks than fill its places: an eighth, and never fewer than eight', () => {
    assert.deepEqual(
      [1, 25, 500, 5_000].map((places) => workerLimits(places).tasksAtOnce),
      [8, 8, 63, 625],
    );
  });
});
