import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { defaultLimits } from '../limits.ts';
import { createMailPortWatch, type DialNews } from './watch-mail-port.ts';

const minuteMs = 60_000;

/** The answers of the hosts that are known to live: silence, unless a test has it otherwise. */
const allSilent: readonly DialNews[] = ['timeout', 'timeout'];

function setUp(known: readonly DialNews[] = allSilent) {
  const clock = createTestClock();
  const lines: string[] = [];
  const asked = { rounds: 0 };
  const watch = createMailPortWatch({
    clock,
    limits: defaultLimits,
    port: 25,
    askKnownHosts() {
      asked.rounds += 1;
      return Promise.resolve(known);
    },
    onProblem: (line) => lines.push(line),
  });
  /** Fails for different addresses, spread over `networks` /16 networks, and gives the known hosts time to answer. */
  const fail = async (count: number, networks = 5, outcome: DialNews = 'timeout') => {
    for (let index = 0; index < count; index += 1) {
      watch.note(`192.${index % networks}.${index >> 8}.${index & 255}`, outcome);
    }
    await answered();
  };
  return { watch, clock, lines, asked, fail, isBlocked: () => watch.isBlocked().kind === 'blocked' };
}

/** The known hosts have answered once the event loop has gone round. */
const answered = () => new Promise((resolve) => setImmediate(resolve));

describe('silent mail hosts', () => {
  it('raise a suspicion when 20 addresses in 5 networks gave no connection, and not when fewer did', async () => {
    const fewer = setUp();
    await fewer.fail(19);
    const closer = setUp();
    await closer.fail(500, 4);
    const same = setUp();
    for (let count = 0; count < 10; count += 1) await same.fail(19);
    for (const { isBlocked, asked } of [fewer, closer, same]) assert.ok(!isBlocked() && asked.rounds === 0);
    const { fail, isBlocked, asked } = setUp();
    await fail(20);
    assert.ok(isBlocked() && asked.rounds === 1);
  });

  it('are counted by networks of IPv6 as well, a /32 each', async () => {
    const { watch, isBlocked } = setUp();
    for (let index = 0; index < 40; index += 1) watch.note(`2001:db8:${index}::1`, 'timeout');
    await answered();
    assert.ok(!isBlocked());
    for (let index = 0; index < 4; index += 1) watch.note(`2001:${index + 1}::1`, 'timeout');
    await answered();
    assert.ok(isBlocked());
  });

  it('count only within five minutes', async () => {
    const { watch, clock, fail, isBlocked } = setUp();
    await fail(19);
    clock.advance(5 * minuteMs);
    watch.note('198.51.100.1', 'timeout');
    await answered();
    assert.ok(!isBlocked());
    await fail(19);
    assert.ok(isBlocked());
  });

  it('do not count while one connection came about within five minutes', async () => {
    const { watch, clock, fail, isBlocked } = setUp();
    watch.note('198.51.100.1', 'connected');
    clock.advance(5 * minuteMs - 1);
    await fail(500);
    assert.ok(!isBlocked());
    clock.advance(1);
    await fail(1);
    assert.ok(isBlocked());
  });

  for (const reached of ['connected', 'refused'] as const) {
    it(`prove nothing where one of the known hosts, asked at that moment, is ${reached}`, async () => {
      const { fail, isBlocked, asked, lines } = setUp(['timeout', reached, 'hung_up']);
      await fail(500);
      assert.ok(!isBlocked() && asked.rounds === 1);
      assert.deepEqual(lines, []);
    });
  }

  it('prove nothing if there is no host to ask: the operator is told of the silence and of a remedy', async () => {
    const { clock, fail, isBlocked, lines } = setUp([]);
    await fail(20);
    await fail(500);
    assert.ok(!isBlocked());
    assert.deepEqual(lines, [
      'none of 20 mail hosts in 5 networks gave a connection on port 25; they may be down, or the port blocked: to tell these apart, name canaries in the providers file, or a sender whose domain has mail hosts',
    ]);
    clock.advance(minuteMs);
    await fail(20);
    assert.equal(lines.length, 2);
  });

  it('have the known hosts asked once a minute at most', async () => {
    const { clock, fail, asked } = setUp([]);
    for (let second = 0; second < 180; second += 1) {
      await fail(20);
      clock.advance(1_000);
    }
    assert.equal(asked.rounds, 3);
  });

  it('leave the port open where the known hosts could not be asked, and that is told', async () => {
    const lines: string[] = [];
    const watch = createMailPortWatch({
      clock: createTestClock(),
      limits: defaultLimits,
      port: 25,
      askKnownHosts: () => Promise.reject(new Error('EMFILE')),
      onProblem: (line) => lines.push(line),
    });
    for (let index = 0; index < 20; index += 1) watch.note(`192.${index}.0.1`, 'timeout');
    await answered();
    assert.equal(watch.isBlocked().kind, 'open');
    assert.deepEqual(lines, ['no known mail host could be asked: Error: EMFILE']);
  });
});

describe('dead mail hosts', () => {
  for (const outcome of ['refused', 'unreachable'] as const) {
    it(`do not make port 25 blocked, however many are ${outcome}`, async () => {
      const { fail, isBlocked, asked } = setUp();
      await fail(500, 50, outcome);
      assert.ok(!isBlocked() && asked.rounds === 0);
    });
  }

  it('that refuse show that port 25 is open, however many others are silent', async () => {
    const { watch, fail, isBlocked } = setUp();
    watch.note('198.51.100.1', 'refused');
    await fail(500);
    assert.ok(!isBlocked());
  });
});

it('port 25 is found blocked by a round of canaries that all fail, two at least', () => {
  const { watch, isBlocked } = setUp();
  watch.noteCanaries([]);
  watch.noteCanaries(['timeout']);
  assert.ok(!isBlocked());
  watch.noteCanaries(['timeout', 'hung_up']);
  assert.ok(isBlocked());
  watch.noteCanaries(['timeout', 'connected']);
  assert.ok(!isBlocked());
  watch.noteCanaries(['timeout', 'timeout']);
  assert.ok(!isBlocked());
});

describe('the line for the operator', () => {
  it('blames the provider where nothing answers', async () => {
    const { fail, lines } = setUp();
    await fail(20);
    assert.deepEqual(lines, [
      'outbound port 25 looks blocked: none of 20 mail hosts in 5 networks gave a connection, and none of 2 known hosts that were asked to make sure; no answer comes at all, so the packets are dropped on the way, most likely by the hosting provider: ask it to open the port',
    ]);
  });

  it('blames a firewall near by where hosts are unreachable at once', async () => {
    const { fail, watch } = setUp(['unreachable', 'unreachable']);
    await fail(20);
    const state = watch.isBlocked();
    assert.ok(state.kind === 'blocked');
    assert.match(state.message, /a firewall of this machine or its network/);
  });

  it('comes at most once a minute, however often a caller asks or fails', async () => {
    const { watch, fail, clock, lines } = setUp();
    await fail(300);
    for (let second = 0; second < 239; second += 1) {
      watch.isBlocked();
      watch.note(`198.51.100.${second}`, 'timeout');
      clock.advance(1_000);
    }
    assert.equal(lines.length, 4);
  });

  it('is followed by one that says it is open again', async () => {
    const { watch, fail, lines } = setUp();
    await fail(20);
    watch.note('198.51.100.1', 'connected');
    watch.note('198.51.100.2', 'connected');
    assert.equal(lines.length, 2);
    assert.equal(lines[1], 'outbound port 25 is open again');
  });
});

describe('a blocked port', () => {
  it('is open by one connection', async () => {
    const { watch, fail, isBlocked } = setUp();
    await fail(100);
    watch.note('198.51.100.1', 'connected');
    assert.ok(!isBlocked());
    await fail(100);
    assert.ok(!isBlocked());
  });

  it('stays blocked as long as the trials fail, one a minute', async () => {
    const { watch, fail, clock } = setUp();
    assert.ok(!watch.takeTrial());
    await fail(20);
    let trials = 0;
    for (let second = 0; second < 3_600; second += 1) {
      clock.advance(1_000);
      if (!watch.takeTrial()) continue;
      trials += 1;
      watch.note('198.51.100.1', 'timeout');
    }
    assert.equal(trials, 60);
    // The proof has long left the window, but the line still tells it.
    const state = watch.isBlocked();
    assert.ok(state.kind === 'blocked');
    assert.match(state.message, /none of 20 mail hosts in 5 networks/);
    watch.note('198.51.100.1', 'connected');
    assert.ok(!watch.takeTrial());
  });

  it('is not held against the service for ever if nothing is tried', async () => {
    const { fail, clock, isBlocked } = setUp();
    await fail(20);
    clock.advance(5 * minuteMs - 1);
    assert.ok(isBlocked());
    clock.advance(1);
    assert.ok(!isBlocked());
  });
});
