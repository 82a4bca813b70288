import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { defaultLimits } from '../limits.ts';
import { createMailPortWatch, type DialNews } from './watch-mail-port.ts';

const minuteMs = 60_000;

function setUp() {
  const clock = createTestClock();
  const lines: string[] = [];
  const watch = createMailPortWatch({
    clock,
    limits: defaultLimits,
    port: 25,
    onProblem: (line) => lines.push(line),
  });
  /** Different addresses, spread over so many /16 networks. */
  const fail = (count: number, networks = 5, outcome: DialNews = 'timeout') => {
    for (let index = 0; index < count; index += 1) {
      watch.note(`192.${index % networks}.${index >> 8}.${index & 255}`, outcome);
    }
  };
  return { watch, clock, lines, fail, isBlocked: () => watch.isBlocked().kind === 'blocked' };
}

describe('port 25 is found blocked', () => {
  it('by 20 addresses in 5 networks without one connection, and not by fewer', () => {
    const fewer = setUp();
    fewer.fail(19);
    assert.ok(!fewer.isBlocked());
    const closer = setUp();
    closer.fail(500, 4);
    assert.ok(!closer.isBlocked());
    const same = setUp();
    for (let count = 0; count < 10; count += 1) same.fail(19);
    assert.ok(!same.isBlocked());
    const { fail, isBlocked } = setUp();
    fail(20);
    assert.ok(isBlocked());
  });

  it('by networks of IPv6 as well, a /32 each', () => {
    const { watch, isBlocked } = setUp();
    for (let index = 0; index < 40; index += 1) watch.note(`2001:db8:${index}::1`, 'timeout');
    assert.ok(!isBlocked());
    for (let index = 0; index < 4; index += 1) watch.note(`2001:${index + 1}::1`, 'timeout');
    assert.ok(isBlocked());
  });

  it('only by what happened within five minutes', () => {
    const { watch, clock, fail, isBlocked } = setUp();
    fail(19);
    clock.advance(5 * minuteMs);
    watch.note('198.51.100.1', 'timeout');
    assert.ok(!isBlocked());
    fail(19);
    assert.ok(isBlocked());
  });

  it('not while one connection came about within five minutes', () => {
    const { watch, clock, fail, isBlocked } = setUp();
    watch.note('198.51.100.1', 'connected');
    clock.advance(5 * minuteMs - 1);
    fail(500);
    assert.ok(!isBlocked());
    clock.advance(1);
    fail(1);
    assert.ok(isBlocked());
  });

  it('by a round of canaries that all fail, two at least', () => {
    const { watch, isBlocked } = setUp();
    watch.noteCanaries([]);
    watch.noteCanaries(['timeout']);
    assert.ok(!isBlocked());
    watch.noteCanaries(['timeout', 'timeout']);
    assert.ok(isBlocked());
    watch.noteCanaries(['timeout', 'connected']);
    assert.ok(!isBlocked());
    watch.noteCanaries(['timeout', 'timeout']);
    assert.ok(!isBlocked());
  });
});

describe('the line for the operator', () => {
  it('blames the provider where nothing answers', () => {
    const { fail, lines } = setUp();
    fail(20);
    assert.deepEqual(lines, [
      'outbound port 25 looks blocked: none of 20 mail hosts in 5 networks gave a connection; no answer comes at all, so the packets are dropped on the way, most likely by the hosting provider: ask it to open the port',
    ]);
  });

  for (const outcome of ['refused', 'unreachable'] as const) {
    it(`blames a firewall near by where hosts are ${outcome} at once`, () => {
      const { fail, watch } = setUp();
      fail(20, 5, outcome);
      const state = watch.isBlocked();
      assert.ok(state.kind === 'blocked');
      assert.match(state.message, /a firewall of this machine or its network/);
    });
  }

  it('comes at most once a minute, however often somebody asks or fails', () => {
    const { watch, fail, clock, lines } = setUp();
    fail(300);
    for (let second = 0; second < 239; second += 1) {
      watch.isBlocked();
      watch.note(`198.51.100.${second}`, 'timeout');
      clock.advance(1_000);
    }
    assert.equal(lines.length, 4);
  });

  it('is followed by one that says it is open again', () => {
    const { watch, fail, lines } = setUp();
    watch.note('198.51.100.1', 'refused');
    fail(20);
    watch.note('198.51.100.1', 'connected');
    watch.note('198.51.100.2', 'connected');
    assert.equal(lines.length, 2);
    assert.equal(lines[1], 'outbound port 25 is open again');
  });
});

describe('a blocked port', () => {
  it('is open by one connection', () => {
    const { watch, fail, isBlocked } = setUp();
    fail(100);
    watch.note('198.51.100.1', 'connected');
    assert.ok(!isBlocked());
    fail(100);
    assert.ok(!isBlocked());
  });

  it('stays blocked as long as the trials fail, one a minute', () => {
    const { watch, fail, clock } = setUp();
    assert.ok(!watch.takeTrial());
    fail(20);
    let trials = 0;
    for (let second = 0; second < 3_600; second += 1) {
      clock.advance(1_000);
      if (!watch.takeTrial()) continue;
      trials += 1;
      watch.note('198.51.100.1', 'timeout');
    }
    assert.equal(trials, 60);
    // The proof has long left the window, but it is what the line goes on telling.
    const state = watch.isBlocked();
    assert.ok(state.kind === 'blocked');
    assert.match(state.message, /none of 21 mail hosts in 6 networks/);
    watch.note('198.51.100.1', 'connected');
    assert.ok(!watch.takeTrial());
  });

  it('is not held against the service for ever where nobody tries', () => {
    const { fail, clock, isBlocked } = setUp();
    fail(20);
    clock.advance(5 * minuteMs - 1);
    assert.ok(isBlocked());
    clock.advance(1);
    assert.ok(!isBlocked());
  });
});
