import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { defaultPoliteness, unpaced } from './built-in-policies.ts';
import type { Destination } from './policy.ts';
import type { SessionOutcome } from './session-outcome.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { createPacer, type OpenConversation, type Pacer } from './create-pacer.ts';

const clean: SessionOutcome = {
  connected: true,
  fault: undefined,
  turnedAway: undefined,
  mailboxes: [],
  madeUp: [],
};
const deferred: SessionOutcome = {
  ...clean,
  turnedAway: {
    reply: { code: 421, enhanced: '4.3.2', lines: ['later'] },
    meaning: { label: 'greylisted_or_temporary', reason: 'deferred' },
  },
};

function destination(address: string, group: string, politeness = defaultPoliteness): Destination {
  return {
    target: { host: `mx.${group}` as CanonicalHost, address },
    policy: {
      group,
      asking: 'probe',
      politeness,
      routes: undefined,
      spread: 1,
      brakes: false,
      countsUnknown: false,
    },
  };
}

function setUp(sharesEgress = true) {
  const clock = createTestClock();
  const rests: string[] = [];
  const pacer = createPacer({
    clock,
    random: () => 0,
    sharesEgress,
    backsOff: true,
    onRest: ({ key }) => rests.push(key),
  });
  /** Lets time pass without anything happening. */
  const pass = (ms: number): void => {
    clock.after(ms, () => undefined);
    clock.step();
  };
  return { clock, pacer, rests, pass };
}

/** Opens as many as are allowed, a second apart. */
function openAll(pacer: Pacer, to: Destination, pass: (ms: number) => void): OpenConversation[] {
  const opened: OpenConversation[] = [];
  while (pacer.mayOpen(to, 'default').kind === 'open') {
    opened.push(pacer.opened(to, 'default'));
    pass(1_000);
  }
  return opened;
}

describe('conversations open at once', () => {
  test('two with one address, however many groups point at it', () => {
    const { pacer, pass } = setUp();
    assert.equal(openAll(pacer, destination('192.0.2.1', 'one.example'), pass).length, 2);
    assert.equal(pacer.mayOpen(destination('192.0.2.1', 'other.example'), 'default').kind, 'wait');
  });
  test('three with one group over all its addresses', () => {
    const { pacer, pass } = setUp();
    const opened = [1, 2, 3].flatMap((net) =>
      openAll(pacer, destination(`192.0.${net}.1`, 'one.example'), pass),
    );
    assert.equal(opened.length, 3);
  });
  test('five with one network over all its groups', () => {
    const { pacer, pass } = setUp();
    const opened = [1, 2, 3, 4].flatMap((n) =>
      openAll(pacer, destination(`192.0.2.${n}`, `g${n}.example`), pass),
    );
    assert.equal(opened.length, 5);
  });
  test('a group that was met a hundred times without trouble is allowed one more, five at most', () => {
    const { pacer, pass } = setUp();
    const to = (n: number): Destination => destination(`192.0.${n}.1`, 'one.example');
    for (let n = 0; n < 700; n += 1) {
      pacer.opened(to(n % 200), 'default').closed(clean);
      pass(60_000);
    }
    const opened = Array.from({ length: 10 }, (_, n) => openAll(pacer, to(n), pass)).flat();
    assert.equal(opened.length, 5);
  });
});

describe('new connections', () => {
  test('one a second to a group', () => {
    const { clock, pacer } = setUp();
    const to = destination('192.0.2.1', 'one.example');
    pacer.opened(to, 'default').closed(clean);
    assert.deepEqual(pacer.mayOpen(to, 'default'), {
      kind: 'wait',
      until: clock.now() + 1_000,
      key: 'group one.example',
    });
  });
  test('fifteen in half a minute if another process may take over, one a second if this one is alone', () => {
    for (const [sharesEgress, most] of [
      [true, 15],
      [false, 29],
    ] as const) {
      const { pacer, pass } = setUp(sharesEgress);
      const to = destination('192.0.2.1', 'one.example');
      let opened = 0;
      for (let second = 0; second < 29; second += 1) {
        if (pacer.mayOpen(to, 'default').kind === 'open') {
          pacer.opened(to, 'default').closed(clean);
          opened += 1;
        }
        pass(1_000);
      }
      assert.equal(opened, most, `shared: ${sharesEgress}`);
    }
  });

  test('thirty a minute to one address, though a thousand groups point at it', () => {
    const { pacer, pass } = setUp();
    let opened = 0;
    for (let second = 0; second < 60; second += 1) {
      const to = destination('192.0.2.1', `g${second}.example`);
      if (pacer.mayOpen(to, 'default').kind === 'open') {
        pacer.opened(to, 'default').closed(clean);
        opened += 1;
      }
      pass(1_000);
    }
    assert.equal(opened, 30);
  });
});

describe('more hosts than are kept', () => {
  test('connections opened to a host in the last minute still count', () => {
    const { pacer, pass } = setUp();
    const to = destination('192.0.2.1', 'one.example');
    for (let opened = 0; opened < 15; opened += 1) {
      pacer.opened(to, 'default').closed(clean);
      pass(1_000);
    }
    for (let n = 0; n < 20_000; n += 1)
      pacer.opened(destination(`10.${n >> 8}.${n & 255}.1`, `g${n}.example`), 'default').closed(clean);
    assert.equal(pacer.mayOpen(to, 'default').kind, 'wait');
  });

  /** Meets enough hosts that those with nothing open make room. */
  const meetMany = (pacer: Pacer): void => {
    for (let n = 0; n < 20_000; n += 1)
      pacer.mayOpen(destination(`10.${n >> 8}.${n & 255}.1`, `g${n}.example`), 'default');
  };

  test('a history that had to make room while a probe waited for it is counted once, whichever caller asks', () => {
    const { pacer, pass } = setUp();
    const held = destination('192.0.2.1', 'one.example');
    assert.equal(pacer.mayOpen(held, 'default').kind, 'open');
    meetMany(pacer);
    assert.equal(openAll(pacer, destination('192.0.2.1', 'one.example'), pass).length, 2);
    assert.equal(pacer.mayOpen(held, 'default').kind, 'wait');
  });
  test('one that has something open stays, and what ends there ends where it was counted', () => {
    const { pacer, pass } = setUp();
    const opened = openAll(pacer, destination('192.0.2.1', 'one.example'), pass);
    meetMany(pacer);
    const again = destination('192.0.2.1', 'one.example');
    assert.equal(pacer.mayOpen(again, 'default').kind, 'wait');
    for (const conversation of opened) conversation.closed(undefined);
    assert.deepEqual([pacer.mayOpen(again, 'default').kind, pacer.openFrom('default')], ['open', 0]);
  });
});

describe('after a rest', () => {
  test('nothing is opened until it is over, then one at a time, and one more after each that goes well', () => {
    const { clock, pacer, rests, pass } = setUp();
    const to = destination('192.0.2.1', 'one.example');
    pacer.opened(to, 'default').closed(deferred);
    assert.deepEqual(rests, ['address 192.0.2.1']);
    assert.deepEqual(pacer.mayOpen(to, 'default'), {
      kind: 'resting',
      reason: 'host_defers',
      until: clock.now() + 300_000,
    });
    pass(300_000);
    const [first, ...others] = openAll(pacer, to, pass);
    assert.deepEqual(others, []);
    first?.closed(clean);
    assert.equal(openAll(pacer, to, pass).length, 2);
  });
  test('another address of the same group is not affected by what one host did', () => {
    const { pacer, pass } = setUp();
    pacer.opened(destination('192.0.2.1', 'one.example'), 'default').closed(deferred);
    pass(1_000);
    assert.equal(pacer.mayOpen(destination('192.0.3.1', 'one.example'), 'default').kind, 'open');
  });
});

describe('complaints about us', () => {
  const to = destination('192.0.2.1', 'one.example');
  const complained = (written: string[]): SessionOutcome => ({
    ...clean,
    mailboxes: written.map((one) => {
      const [account = '', domain = ''] = one.split(' ');
      return { account, domain, said: 'complaint' };
    }),
  });
  function hold(outcome: SessionOutcome) {
    const { clock, pacer, rests, pass } = setUp();
    pacer.opened(to, 'default').closed(outcome);
    pass(1_000);
    return { clock, pacer, rests };
  }

  test('that recipients of two domains brought about: the group rests for an hour, with the real end', () => {
    const { clock, pacer, rests } = hold(
      complained(['one a.test', 'one a.test', 'one b.test', 'one b.test', 'one b.test']),
    );
    assert.deepEqual(rests, ['group one.example']);
    const permission = pacer.mayOpen(to, 'default');
    assert.ok(permission.kind === 'resting');
    assert.equal(permission.until - clock.now(), 3_599_000);
  });
  test('that only one domain meets: that domain rests for an hour, and nothing else does', () => {
    const { clock, pacer, rests } = hold(complained(Array<string>(5).fill('one a.test')));
    assert.deepEqual(rests, []);
    assert.equal(pacer.mayOpen(to, 'default').kind, 'open');
    assert.deepEqual(pacer.restOfDomain('a.test', to), {
      reason: 'provider_refuses_us',
      until: clock.now() + 3_599_000,
    });
    assert.equal(pacer.restOfDomain('b.test', to), undefined);
    assert.equal(pacer.restOfDomain('a.test', destination('192.0.2.9', 'other.example')), undefined);
  });
  test('that only one of two accounts meets: that account is slowed down, and nothing rests', () => {
    const both = complained(['one a.test', 'one b.test', 'one c.test', 'one d.test', 'one e.test']);
    both.mailboxes.push({ account: 'two', domain: 'f.test', said: 'other' });
    const { clock, pacer, rests } = hold(both);
    assert.deepEqual(rests, []);
    for (let asked = 0; asked < 10; asked += 1)
      pacer.accounts.asks('one', { policy: to.policy, egress: 'default' });
    assert.ok(pacer.accounts.mayAskFrom('one', to.policy) > clock.now());
    assert.ok(pacer.accounts.mayAskFrom('two', to.policy) <= clock.now());
  });
});

test('with pacing off nothing waits and nothing rests', () => {
  const clock = createTestClock();
  const pacer = createPacer({
    clock,
    random: () => 0,
    sharesEgress: true,
    backsOff: false,
    onRest: () => undefined,
  });
  const to = destination('192.0.2.1', 'one.example', unpaced(defaultPoliteness));
  for (let n = 0; n < 1_000; n += 1) {
    assert.equal(pacer.mayOpen(to, 'default').kind, 'open');
    pacer.opened(to, 'default');
  }
  pacer.opened(to, 'default').closed(deferred);
  assert.equal(pacer.mayOpen(to, 'default').kind, 'open');
});
