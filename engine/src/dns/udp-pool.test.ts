import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { encode } from 'dns-packet';
import { createTestClock } from '../../test/support/test-clock.ts';
import { loopbackBench } from '../../test/support/loopback-bench.ts';
import type { Mischief } from '../../test/support/loopback-dns.ts';
import { createUdpPool } from './udp-pool.ts';
import type { PooledQuery, UdpPool } from './udp-pool.ts';
import type { DnsServer } from './lookup.ts';

const bench = loopbackBench();
after(() => bench.close());

const question = { name: 'example.test', type: 'A' } as const;
const zone = { 'example.test': { a: ['192.0.2.1'] } };

async function poolOf(sockets: number, mischief?: Mischief) {
  const dns = await bench.server(zone, mischief);
  const clock = createTestClock();
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 0x7fffffff;
    return Math.floor((seed / 0x7fffffff) * below);
  };
  const pool = createUdpPool({ servers: [dns], sockets, clock, random });
  bench.onClose(() => pool.close());
  return { dns, clock, pool };
}

/** A query that ignores its answer. */
function queryTo(server: DnsServer): PooledQuery {
  const ignore = () => undefined;
  return { server, question, withEdns: true, id: 0, sentOver: undefined, heard: ignore, unreachable: ignore };
}

/** One query that is answered, or cut off by the closing of the pool. */
function exchange(pool: UdpPool, server: DnsServer): Promise<'heard' | 'cut off'> {
  return new Promise((resolve) => {
    const query: PooledQuery = {
      ...queryTo(server),
      heard: () => {
        pool.stop(query);
        resolve('heard');
      },
      unreachable: () => resolve('cut off'),
    };
    pool.send(query);
  });
}

describe('the sockets of the pool', () => {
  test('a server that this machine has no way to is unreachable, and nothing breaks', async () => {
    // The system refuses a connection to this address, as it does one to a network that no route leads to.
    const server = { ip: '255.255.255.255', port: 53 };
    const pool = createUdpPool({ servers: [server], sockets: 1, clock: createTestClock(), random: () => 0 });
    bench.onClose(() => pool.close());
    for (let round = 0; round < 2; round += 1) assert.equal(await exchange(pool, server), 'cut off');
    assert.deepEqual(pool.counts(), { sent: 2, open: 0, opened: 2 });
  });

  test('an idle socket is replaced after a minute', async () => {
    const { dns, clock, pool } = await poolOf(1);
    await exchange(pool, dns);
    await exchange(pool, dns);
    assert.equal(pool.counts().opened, 1);
    clock.advance(60_000);
    await exchange(pool, dns);
    assert.deepEqual(pool.counts(), { sent: 3, open: 1, opened: 2 });
    assert.equal(new Set(dns.queries.map(({ sourcePort }) => sourcePort)).size, 2);
  });

  test('a socket is replaced after some hundred queries', async () => {
    const { dns, pool } = await poolOf(1);
    for (let count = 0; count < 1_100; count += 1) await exchange(pool, dns);
    const { opened, open } = pool.counts();
    assert.equal(open, 1);
    assert.ok(opened >= 3 && opened <= 5, `${opened} sockets for 1,100 queries`);
  });

  test('worn-out sockets drain one at a time, and the pool is never exceeded', async () => {
    let unanswered = 0;
    const { dns, pool } = await poolOf(4, ({ reply }) => {
      unanswered += 1;
      return unanswered % 100 === 0 ? [] : [encode(reply)];
    });
    let most = 0;
    for (let round = 0; round < 60; round += 1) {
      // One in a hundred waits for ever, so no socket is ever idle and each has to be drained.
      const batch = Array.from({ length: 50 }, () => exchange(pool, dns));
      await Promise.race([Promise.all(batch), new Promise((resolve) => setTimeout(resolve, 20))]);
      most = Math.max(most, pool.counts().open);
    }
    assert.ok(most <= 4, `${most} open`);
    assert.equal(pool.counts().sent, 3_000);
  });

  test('a drained socket makes room for a new one', async () => {
    const { dns, clock, pool } = await poolOf(2, () => []);
    const waits = Array.from({ length: 8 }, () => queryTo(dns));
    for (const query of waits) pool.send(query);
    assert.equal(pool.counts().open, 2);
    clock.advance(60_000);
    const last = queryTo(dns);
    pool.send(last);
    assert.deepEqual(pool.counts(), { sent: 9, open: 2, opened: 2 });
    for (const query of [...waits, last]) pool.stop(query);
    assert.equal(pool.counts().open, 1);
  });

  test('every server has a share', async () => {
    const [one, two] = [await bench.server(zone), await bench.server(zone)];
    const pool = createUdpPool({
      servers: [one, two],
      sockets: 4,
      clock: createTestClock(),
      random: (below) => below - 1,
    });
    bench.onClose(() => pool.close());
    for (let count = 0; count < 10; count += 1) await Promise.all([exchange(pool, one), exchange(pool, two)]);
    assert.deepEqual([one.queries.length, two.queries.length], [10, 10]);
    assert.equal(pool.counts().open, 2);
  });

  test('ids of waiting queries are never given twice, even by a constant lot', async () => {
    const ids: number[] = [];
    const dns = await bench.server(zone, ({ id }) => {
      ids.push(id);
      return [];
    });
    const pool = createUdpPool({ servers: [dns], sockets: 1, clock: createTestClock(), random: () => 0 });
    const waiting = Array.from({ length: 20 }, () => exchange(pool, dns));
    while (ids.length < 20) await new Promise(setImmediate);
    assert.equal(new Set(ids).size, 20);
    pool.close();
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['cut off']));
  });
});
