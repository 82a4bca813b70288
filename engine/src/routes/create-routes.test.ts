import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { systemClock, type Clock } from '../clock.ts';
import { createTestClock } from '../../test/support/test-clock.ts';
import { defaultLimits } from '../limits.ts';
import type { DirectRoute, RouteSetting } from '../politeness/policy.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import { parseCidr } from '../ip-address.ts';
import { createRouteDialer, type RouteDialer } from './create-route-dialer.ts';
import type { RouteChoice } from './choose-route.ts';
import { createRoutes, type Routes, type RoutesParts } from './create-routes.ts';
import { startSocks5Proxy } from '../../test/support/start-socks5-proxy.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const host = canonicalHost('mx.example.com')!;
const noDialer: RouteDialer = {
  counts: { dialled: 1, forbidden: 2, breaches: 0 },
  dial: () => Promise.resolve({ kind: 'failed', why: 'timeout' }),
};
const direct = (id: string, more: Partial<DirectRoute> = {}): RouteSetting => ({
  id,
  ...more,
  kind: 'direct',
});
const three = ['amsterdam', 'bergen', 'cork'].map((id) => direct(id));

function setUp(settings: readonly RouteSetting[], more: Partial<RoutesParts> = {}) {
  const clock = createTestClock();
  const start = clock.now();
  const lines: string[] = [];
  const routes = createRoutes({
    settings,
    defaults: { heloName: 'probe.example', mailFrom: 'verify@probe.example' },
    clock,
    wallClock: { now: () => 1_800_000_000_000 + clock.now() - start },
    limits: defaultLimits,
    heedsBlocks: true,
    dialerFor: () => noDialer,
    onProblem: (line) => lines.push(line),
    ...more,
  });
  return { routes, clock, lines };
}

type Asked = { group?: string; address?: string; allowed?: readonly string[] };

function choose(
  routes: Routes,
  { group = 'google', address = '192.0.2.1', allowed }: Asked = {},
): RouteChoice {
  return routes.choose({ group, address, allowed });
}

function chosen(routes: Routes, asked: Asked = {}): string {
  const choice = choose(routes, asked);
  return choice.kind === 'route' ? choice.route.id : choice.why;
}

function block(routes: Routes, routeId: string, groups: string[]): void {
  for (const group of groups) routes.note(routeId, { kind: 'blocked', group });
}

const groups = Array.from({ length: 300 }, (_, index) => `group-${index}.example`);

describe('the route of a group', () => {
  it('is the default route where none is set, with the engine’s own name and sender', () => {
    const choice = choose(setUp([]).routes);
    assert.ok(choice.kind === 'route');
    const { id, heloName, mailFrom } = choice.route;
    assert.deepEqual([id, heloName, mailFrom], ['default', 'probe.example', 'verify@probe.example']);
  });

  it('has the name and the sender that were set for it', () => {
    const setting = direct('second', { heloName: 'two.example', mailFrom: 'v@two.example' });
    const choice = choose(setUp([setting]).routes);
    assert.ok(choice.kind === 'route');
    assert.deepEqual([choice.route.heloName, choice.route.mailFrom], ['two.example', 'v@two.example']);
  });

  it('is the same every time, in another process and in another order of the file', () => {
    const one = setUp(three).routes;
    const other = setUp([...three].reverse()).routes;
    for (const group of groups) {
      const first = chosen(one, { group });
      one.note(first, { kind: 'opened', group });
      assert.equal(chosen(one, { group, address: '198.51.100.7' }), first);
      assert.equal(chosen(other, { group }), first);
    }
  });

  it('spreads the groups over the routes', () => {
    const { routes } = setUp(three);
    const shares = new Map<string, number>();
    for (const group of groups) {
      const id = chosen(routes, { group });
      shares.set(id, (shares.get(id) ?? 0) + 1);
    }
    for (const { id } of three) assert.ok((shares.get(id) ?? 0) > 60, JSON.stringify([...shares]));
  });

  it('moves only for the groups of a route that is no longer in the file', () => {
    const before = setUp(three).routes;
    const after = setUp(three.slice(1)).routes;
    for (const group of groups) {
      const was = chosen(before, { group });
      if (was !== 'amsterdam') assert.equal(chosen(after, { group }), was);
    }
  });

  it('is one of those allowed, or none', () => {
    const { routes } = setUp(three);
    for (const group of groups) assert.equal(chosen(routes, { group, allowed: ['cork'] }), 'cork');
    assert.deepEqual(choose(routes, { allowed: ['oslo'] }), { kind: 'none', why: 'none_allowed' });
    assert.deepEqual(choose(routes, { allowed: [] }), { kind: 'none', why: 'none_allowed' });
  });

  it('has a local address of the mail host’s own family', () => {
    const { routes } = setUp([
      direct('four', { localAddress: '192.0.2.9' }),
      direct('six', { localAddress: '2001:db8::9' }),
    ]);
    for (const group of groups) {
      assert.equal(chosen(routes, { group, address: '198.51.100.1' }), 'four');
      assert.equal(chosen(routes, { group, address: '2001:db8::1' }), 'six');
    }
    assert.equal(chosen(routes, { address: '2001:db8::1', allowed: ['four'] }), 'none_allowed');
  });
});

describe('the volume of the routes', () => {
  it('of a minute is waited for: the group does not move', () => {
    const { routes, clock } = setUp(three.map((setting) => ({ ...setting, perMinute: 2 })));
    const id = chosen(routes);
    routes.note(id, { kind: 'opened', group: 'google' });
    clock.advance(1_000);
    routes.note(id, { kind: 'opened', group: 'google' });
    assert.deepEqual(choose(routes), { kind: 'none', why: 'volume_spent', waitMs: 59_000 });
    clock.advance(59_000);
    assert.equal(chosen(routes), id);
  });

  it('of a day hands the group to the next route, until all are spent', () => {
    const { routes, clock } = setUp(three.map((setting) => ({ ...setting, perDay: 2 })));
    const order = Array.from({ length: 7 }, () => {
      const id = chosen(routes);
      routes.note(id, { kind: 'opened', group: 'google' });
      return id;
    });
    assert.equal(new Set(order).size, 4);
    assert.deepEqual(order, [order[0], order[0], order[2], order[2], order[4], order[4], 'volume_spent']);
    const none = choose(routes);
    assert.ok(none.kind === 'none' && none.why === 'volume_spent');
    clock.advance(none.waitMs);
    assert.equal(chosen(routes), order[0]);
  });
});

describe('a block', () => {
  it('binds the group to the route it was blocked on for an hour, and no other group', () => {
    const { routes, clock } = setUp(three);
    const id = chosen(routes);
    const others = three.map((setting) => setting.id).filter((other) => other !== id);
    block(routes, id, ['google']);
    assert.equal(chosen(routes), id);
    clock.advance(20 * minuteMs);
    const elsewhere = choose(routes, { allowed: others });
    assert.deepEqual(elsewhere, { kind: 'none', why: 'all_resting', waitMs: 40 * minuteMs });
    assert.notEqual(chosen(routes, { group: 'other.example', allowed: others }), 'all_resting');
    clock.advance(40 * minuteMs);
    assert.ok(others.includes(chosen(routes, { allowed: others })));
  });

  it('binds the IP address too, whatever group its name is counted under', () => {
    const { routes } = setUp(three);
    routes.note('bergen', { kind: 'blocked', group: 'one.example', address: '192.0.2.7' });
    assert.equal(chosen(routes, { group: 'two.example', address: '192.0.2.7' }), 'bergen');
    assert.equal(
      chosen(routes, { group: 'two.example', address: '192.0.2.7', allowed: ['cork'] }),
      'all_resting',
    );
    routes.note('cork', { kind: 'blocked', group: 'two.example' });
    assert.equal(chosen(routes, { group: 'two.example', address: '192.0.2.7' }), 'all_resting');
  });

  it('is never dodged: over 24 hours no group is asked on a second route within an hour of a block', () => {
    const { routes, clock } = setUp(three);
    const blockedAt = new Map<string, { id: string; at: number }>();
    let [asked, blocked] = [0, 0];
    for (let step = 0; step < 24 * 60; step += 1) {
      const group = `group-${(step * 7) % 11}.example`;
      // The allowed routes change all the time, as an operator's file may.
      const allowed =
        step % 3 === 0 ? undefined : three.map(({ id }) => id).filter((_, at) => at !== step % 4);
      const id = chosen(routes, { group, ...(allowed && { allowed }) });
      if (three.some((setting) => setting.id === id)) {
        asked += 1;
        const last = blockedAt.get(group);
        if (last !== undefined && last.id !== id) assert.ok(clock.now() - last.at >= hourMs, group);
        if (step % 5 === 0) {
          blocked += 1;
          block(routes, id, [group]);
          blockedAt.set(group, { id, at: clock.now() });
        }
      }
      clock.advance(minuteMs);
    }
    assert.ok(asked > 200 && blocked > 40, `${asked} ${blocked}`);
  });
});

describe('a route that providers block', () => {
  it('rests for an hour after five blocks by two groups, and the operator is told once', () => {
    const { routes, clock, lines } = setUp(three);
    block(routes, 'bergen', ['google', 'outlook', 'google', 'google']);
    assert.equal(chosen(routes, { group: 'x.example', allowed: ['bergen'] }), 'bergen');
    assert.equal(lines.length, 0);
    block(routes, 'bergen', ['google']);
    const told =
      'egress route bergen was blocked 5 times within 10 minutes by google, outlook and rests for 60 minutes';
    assert.deepEqual(lines, [told]);
    const choice = choose(routes, { group: 'x.example', allowed: ['bergen'] });
    assert.deepEqual(choice, { kind: 'none', why: 'all_resting', waitMs: hourMs });
    // A conversation that was under way reports the same block.
    block(routes, 'bergen', ['google', 'outlook', 'yahoo', 'google', 'outlook', 'yahoo']);
    assert.equal(lines.length, 1);
    for (const group of groups) assert.notEqual(chosen(routes, { group }), 'bergen');
    clock.advance(hourMs);
    assert.equal(chosen(routes, { group: 'x.example', allowed: ['bergen'] }), 'bergen');
  });

  it('rests for a group alone that blocked it five times', () => {
    const { routes, clock, lines } = setUp(three);
    block(routes, 'cork', Array<string>(8).fill('google'));
    assert.deepEqual(lines, [
      'egress route cork was blocked 5 times within 10 minutes by google, which is not asked for 60 minutes',
    ]);
    assert.equal(chosen(routes), 'all_resting');
    assert.equal(chosen(routes, { group: 'x.example', allowed: ['cork'] }), 'cork');
    clock.advance(hourMs);
    assert.notEqual(chosen(routes), 'all_resting');
  });

  it('does not rest for blocks that are further apart than ten minutes', () => {
    const { routes, clock, lines } = setUp(three);
    for (const group of ['google', 'outlook', 'yahoo', 'apple', 'google', 'outlook', 'yahoo']) {
      block(routes, 'cork', [group]);
      clock.advance(2 * minuteMs + 30_000);
    }
    assert.deepEqual(lines, []);
    assert.equal(chosen(routes, { group: 'x.example', allowed: ['cork'] }), 'cork');
  });
});

describe('the state of the routes', () => {
  it('survives a restart: volumes, rests and what was refused where', () => {
    const settings = three.map((setting) => ({ ...setting, perDay: 3 }));
    const before = setUp(settings);
    for (const kind of ['opened', 'opened', 'connected', 'opened'] as const)
      before.routes.note('amsterdam', { kind, group: 'x.example' });
    block(before.routes, 'bergen', ['google', 'outlook', 'google', 'google', 'google']);
    block(before.routes, 'cork', Array<string>(5).fill('yahoo'));
    before.clock.advance(10 * minuteMs);
    const kept = JSON.parse(JSON.stringify(before.routes.state())) as ReturnType<Routes['state']>;
    assert.deepEqual([kept[0]?.openedToday, kept[0]?.connectedToday, kept[0]?.dayLimit], [3, 1, 3]);

    const after = setUp(settings);
    after.clock.advance(20 * minuteMs);
    after.routes.restore([...kept, { ...kept[0]!, id: 'no-longer-there' }]);
    assert.equal(chosen(after.routes, { allowed: ['amsterdam'] }), 'all_resting');
    assert.equal(chosen(after.routes, { group: 'x.example', allowed: ['amsterdam'] }), 'volume_spent');
    assert.equal(chosen(after.routes, { group: 'yahoo', allowed: ['amsterdam', 'cork'] }), 'all_resting');
    const resting = choose(after.routes, { group: 'x.example', allowed: ['bergen'] });
    assert.deepEqual(resting, { kind: 'none', why: 'all_resting', waitMs: 40 * minuteMs });
    assert.deepEqual(
      after.routes.state().map(({ id }) => id),
      three.map(({ id }) => id),
    );
  });

  it('rests no group longer than an hour, even if it was kept by a clock that was wrong', () => {
    const { routes, clock } = setUp(three);
    const [kept] = routes.state();
    const until = 9_999_999_999_999;
    routes.restore([
      {
        ...kept!,
        restingUntil: until,
        restingGroups: [{ group: 'g', until }],
        refusals: [{ by: 'group g', until }],
      },
    ]);
    clock.advance(hourMs - 1);
    assert.equal(chosen(routes, { group: 'g' }), 'all_resting');
    clock.advance(1);
    assert.notEqual(chosen(routes, { group: 'g' }), 'all_resting');
  });

  it('adds up what left over all routes, and counts what was opened on each', () => {
    const { routes } = setUp(three);
    const [first, ...others] = routes.counts().byRoute.map(({ id }) => id);
    routes.note(first ?? '', { kind: 'opened', group: 'a' });
    routes.note(first ?? '', { kind: 'opened', group: 'b' });
    routes.note(first ?? '', { kind: 'connected', group: 'a' });
    assert.deepEqual(routes.counts(), {
      dialled: 3,
      forbidden: 6,
      breaches: 0,
      byRoute: [
        { id: first, opened: 2, connected: 1 },
        ...others.map((id) => ({ id, opened: 0, connected: 0 })),
      ],
    });
  });
});

describe('a route that does not work', () => {
  it('hands its groups to the next after three failures, is tried again after a minute, and told of once', async () => {
    const mailHost = createServer((socket) => socket.on('error', () => undefined).end()).listen(
      0,
      '127.0.0.1',
    );
    await once(mailHost, 'listening');
    const proxy = await startSocks5Proxy();
    await proxy.stop();
    // Real sockets, and a clock that can be moved on.
    let ahead = 0;
    const clock: Clock = {
      now: () => systemClock.now() + ahead,
      after: (ms, callback) => systemClock.after(ms, callback),
    };
    const { routes, lines } = setUp(
      [{ id: 'proxied', kind: 'socks5', socks5: { host: '127.0.0.1', port: proxy.port } }, direct('default')],
      {
        clock,
        dialerFor: (setting) =>
          createRouteDialer(setting, {
            port: (mailHost.address() as AddressInfo).port,
            clock,
            limits: defaultLimits,
            allow: [parseCidr('127.0.0.0/8')!],
            ownAddresses: () => [],
          }),
      },
    );
    const group = groups.find((name) => chosen(routes, { group: name }) === 'proxied')!;
    const dial = async (): Promise<string> => {
      const choice = choose(routes, { group, address: '127.0.0.1' });
      assert.ok(choice.kind === 'route');
      const patience = { deadline: clock.now() + 20_000, signal: new AbortController().signal };
      const outcome = await choice.route.dial({ host, address: '127.0.0.1' }, patience);
      if (outcome.kind === 'connected') outcome.socket.destroy();
      return `${choice.route.id}: ${outcome.kind === 'connected' ? 'connected' : outcome.why}`;
    };
    const visits: string[] = [];
    for (let count = 0; count < 4; count += 1) visits.push(await dial());
    ahead += defaultLimits.routeDownMs;
    visits.push(await dial(), await dial());
    const down = 'proxied: route_down';
    assert.deepEqual(visits, [down, down, down, 'default: connected', down, 'default: connected']);
    assert.equal(lines.length, 1);
    assert.match(
      lines[0]!,
      /^egress route proxied cannot be used: the proxy 127\.0\.0\.1 port \d+ gives no connection/,
    );
    assert.match(routes.state()[0]?.problem ?? '', /gives no connection/);
    assert.equal(routes.counts().dialled, 6);
    mailHost.close();
  });

  it('is well again after one success, and that is told too', async () => {
    const outcomes = ['route_down', 'route_down', 'route_down', 'refused', 'route_down'] as const;
    const script = [...outcomes];
    const { routes, clock, lines } = setUp([direct('default')], {
      dialerFor: () => ({
        counts: noDialer.counts,
        dial: () => {
          const why = script.shift() ?? 'timeout';
          return Promise.resolve({ kind: 'failed', why, problem: 'no cable' });
        },
      }),
    });
    for (const why of outcomes) {
      const choice = choose(routes);
      assert.ok(choice.kind === 'route', why);
      await choice.route.dial(
        { host, address: '192.0.2.1' },
        { deadline: 0, signal: new AbortController().signal },
      );
      if (why === 'route_down') clock.advance(minuteMs);
    }
    assert.equal(chosen(routes), 'default');
    assert.deepEqual(lines, [
      'egress route default cannot be used: no cable',
      'egress route default can be used again',
    ]);
  });
});
