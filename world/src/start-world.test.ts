import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { ask } from '../test/support/ask-dns.ts';
import { greeted } from '../test/support/meet.ts';
import { rawClient } from '../test/support/raw-client.ts';
import { startWorld, type WorldDescription } from './start-world.ts';

const threeHosts = { 'mx1.test': {}, 'mx2.test': { address: '127.30.0.9' }, 'mx3.test': {} };

describe('a world', () => {
  test('puts every mail host on an address of its own and on one port', async () => {
    const world = await startWorld({ zones: {}, hosts: threeHosts });
    try {
      const addresses = Object.values(world.hosts).map((host) => host.address);
      assert.deepEqual(addresses, ['127.10.0.1', '127.30.0.9', '127.10.0.2']);
      for (const [name, { address }] of Object.entries(world.hosts)) {
        const client = await rawClient(world.smtpPort, address);
        assert.deepEqual(await client.replies(1), [`220 ${name} ESMTP`]);
        client.socket.destroy();
      }
    } finally {
      await world.stop();
    }
  });

  test('tells how to live in it', async () => {
    const world = await startWorld({ zones: {}, hosts: { 'mx.test': {} } });
    await world.stop();
    assert.deepEqual(world.environment, {
      MAILPROOF_DNS_SERVERS: world.dnsServer,
      MAILPROOF_SMTP_PORT: String(world.smtpPort),
      MAILPROOF_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
      MAILPROOF_WEBHOOK_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
      MAILPROOF_PACING: 'off',
      MAILPROOF_HELO_NAME: 'probe.test',
      MAILPROOF_MAIL_FROM: 'verify@probe.test',
    });
  });

  test('knows the names that a resolver is tried by, until it is told to deny all names', async () => {
    const world = await startWorld({ zones: {}, hosts: { 'mx.test': {} } });
    try {
      const found = async () => {
        const answers = await Promise.all(
          ['gmail.com', 'outlook.com', 'icloud.com', 'mx.test'].map((name) =>
            ask(world.dnsServer, { name, type: name === 'mx.test' ? 'A' : 'MX' }),
          ),
        );
        return answers.map(({ answers: records }) => records?.length);
      };
      assert.deepEqual(await found(), [1, 1, 1, 1]);
      world.denyAllNames(true);
      assert.deepEqual(await found(), [0, 0, 0, 0]);
      world.denyAllNames(false);
      assert.deepEqual(await found(), [1, 1, 1, 1]);
    } finally {
      await world.stop();
    }
  });

  test('a resolver that turns denies everything; one with a cache answers what it was asked for before', async () => {
    const zones = {
      'one.test': { mx: [[10, 'mx.test']] },
      'two.test': { a: ['192.0.2.1'] },
    } satisfies WorldDescription['zones'];
    const clock = { at: 0, now: () => clock.at };
    const world = await startWorld({ zones, hosts: {} }, { resolverKeepsCache: true, clock });
    const see = async (name: string, type: 'A' | 'MX') => {
      const { flags = 0, answers = [] } = await ask(world.dnsServer, { name, type });
      return [
        (flags & 0xf) === 3 ? 'NXDOMAIN' : 'NOERROR',
        ...answers.map((record) => ('ttl' in record ? record.ttl : undefined)),
      ];
    };
    try {
      assert.deepEqual(await see('one.test', 'MX'), ['NOERROR', 300]);
      clock.at = 100_000;
      for (const how of ['no_such_name', 'no_data', 'null_address'] as const) {
        world.turnResolver(how);
        assert.deepEqual(await see('one.test', 'MX'), ['NOERROR', 200], how);
      }
      world.turnResolver('no_such_name');
      assert.deepEqual(await see('two.test', 'A'), ['NXDOMAIN']);
      world.turnResolver('no_data');
      assert.deepEqual(await see('two.test', 'A'), ['NOERROR']);
      world.turnResolver('null_address');
      assert.deepEqual(await see('two.test', 'A'), ['NOERROR', 2]);
      clock.at = 300_000;
      world.turnResolver('no_such_name');
      assert.deepEqual(await see('one.test', 'MX'), ['NXDOMAIN'], 'its life is over');
      world.turnResolver('truthful');
      assert.deepEqual(await see('two.test', 'A'), ['NOERROR', 300]);
    } finally {
      await world.stop();
    }
  });

  test('serves on the ports it is told, and two worlds stand side by side', async () => {
    const first = await startWorld({ zones: {}, hosts: threeHosts });
    const second = await startWorld({ zones: {}, hosts: threeHosts });
    assert.notEqual(first.smtpPort, second.smtpPort);
    const { smtpPort, dnsServer } = first;
    const taken = startWorld({ zones: {}, hosts: threeHosts }, { smtpPort });
    await assert.rejects(taken, { code: 'EADDRINUSE' });
    await Promise.all([first.stop(), second.stop()]);
    const dnsPort = Number(dnsServer.split(':')[1]);
    const third = await startWorld({ zones: {}, hosts: threeHosts }, { smtpPort, dnsPort });
    assert.deepEqual([third.smtpPort, third.dnsServer], [smtpPort, dnsServer]);
    await third.stop();
  });

  test('has a host on IPv6, or says that the machine has none', async () => {
    const world = await startWorld({ zones: {}, hosts: { 'mx.test': {}, 'v6.test': { address: '::1' } } });
    try {
      if (world.absentHosts.includes('v6.test')) return;
      const client = await rawClient(world.smtpPort, '::1');
      assert.deepEqual(await client.replies(1), ['220 v6.test ESMTP']);
      client.socket.destroy();
    } finally {
      await world.stop();
    }
  });

  test('refuses a description with two hosts on one address', async () => {
    const hosts = { 'a.test': { address: '127.1.1.1' }, 'b.test': { address: '127.1.1.1' } };
    await assert.rejects(startWorld({ zones: {}, hosts }), /two mail hosts at 127\.1\.1\.1/);
  });

  test('forgets what it has seen on reset, but not who is connected', async () => {
    const world = await startWorld({ zones: {}, hosts: { 'mx.test': {} } });
    try {
      const client = await rawClient(world.smtpPort, world.hosts['mx.test']!.address);
      await greeted(client);
      await ask(world.dnsServer, { name: 'mx.test', type: 'A' });
      world.reset();
      assert.deepEqual(world.counts.smtp, {
        connections: 0,
        open: 1,
        mostOpen: 1,
        roundTrips: 0,
        handshakes: 0,
        commands: {},
      });
      assert.deepEqual([world.counts.dns.queries, world.conversations, world.violations], [0, [], []]);
    } finally {
      await world.stop();
    }
  });

  test('counts how many connections were open at once', async () => {
    const world = await startWorld({ zones: {}, hosts: { 'mx.test': {} } });
    try {
      const { address, counts } = world.hosts['mx.test']!;
      const clients = await Promise.all([1, 2, 3].map(() => rawClient(world.smtpPort, address)));
      for (const client of clients) {
        await client.replies(1);
        client.send('QUIT\r\n');
        await client.closed();
      }
      assert.deepEqual([counts.connections, counts.mostOpen], [3, 3]);
    } finally {
      await world.stop();
    }
  });

  test('leaves nothing open when it stops, with clients in the middle of things', async () => {
    const stuck = { temper: { fault: { phase: 'mail', fault: 'silence' } } } as const;
    const world = await startWorld({ zones: {}, hosts: { 'mx.test': {}, 'stuck.test': stuck } });
    const clients = await Promise.all(
      Object.values(world.hosts).map(({ address }) => rawClient(world.smtpPort, address)),
    );
    for (const client of clients) {
      await greeted(client);
      client.send('MAIL FROM:<a@b.test>\r\n');
    }
    const dnsOverTcp = connect(Number(world.dnsServer.split(':')[1]), '127.0.0.1');
    await once(dnsOverTcp, 'connect');
    await world.stop();
    assert.equal(world.counts.smtp.open, 0);
    assert.deepEqual(world.violations, []);
    await Promise.all([...clients.map((client) => client.closed()), once(dnsOverTcp, 'close')]);
    const open = process.getActiveResourcesInfo().filter((kind) => /^(?:TCP|UDP|TLS)/.test(kind));
    assert.deepEqual(open, []);
  });
});
