import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import { createApiClient, listsPath } from '../../support/api-client.ts';
import { openFixture } from '../../support/open-fixture.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { until } from '../../support/until.ts';

const domains = 1_000;
const addresses = 10_000;

/**
 * Makes a list in which every domain has its own mail host. Each row is at a random domain, so that some have three
 * addresses and some twenty; four of five are existing mailboxes.
 */
function makeList(random: Random): { world: WorldDescription; rows: string[] } {
  const people = Array.from({ length: domains }, (): string[] => []);
  const rows = Array.from({ length: addresses }, (_, n) => {
    const domain = random.below(domains);
    const isAlive = n % 5 < 4;
    if (isAlive) people[domain]?.push(`alive${n}`);
    return `${isAlive ? 'alive' : 'nobody'}${n}@d${domain}.test`;
  });
  const world: WorldDescription = { zones: {}, hosts: {} };
  for (const [n, names] of people.entries()) {
    world.zones[`d${n}.test`] = { mx: [[10, `mx.d${n}.test`]], ttl: 3_600 };
    world.hosts[`mx.d${n}.test`] = {
      mailboxes: Object.fromEntries(names.map((name) => [name, 'exists' as const])),
    };
  }
  return { world, rows };
}

/**
 * A conversation has ten recipients, including the random probe: about 1,550 conversations if all addresses of a
 * domain come together. The rest are addresses that came while others of their domain were being asked for.
 */
test('10,000 rows over 1,000 domains in any order: two conversations a domain, and each name looked up once', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { world, rows } = makeList(createRandom(seed));
  const fixture = await openFixture({ world });
  const { liveKey, accountId } = await fixture.openAccount({ credits: addresses });
  const service = await fixture.startHere();
  const client = createApiClient(service.url);
  try {
    const headers = { 'content-type': 'text/csv' };
    const uploaded = await client.ask({ path: listsPath, key: liveKey, body: rows.join('\n'), headers });
    const path = `${listsPath}/${String(uploaded.body['list_id'])}`;
    fixture.world.reset();
    await client.ask({ path: `${path}/start`, key: liveKey, body: {} });
    const { body: record } = await until(
      () => client.ask({ method: 'GET', path, key: liveKey }),
      ({ body }) => body['state'] === 'completed',
    );
    assert.deepEqual(record['by_status'], { safe: 0.8 * addresses, invalid: 0.2 * addresses });
    assert.equal((await fixture.balance(accountId)).spent, addresses);
    const { dns, smtp } = fixture.world.counts;
    const recipients = smtp.commands['RCPT'] ?? 0;
    t.diagnostic(
      JSON.stringify({ seed, conversations: smtp.connections, recipients, dnsQueries: dns.queries }),
    );
    assert.ok(smtp.connections <= 2 * domains, `${smtp.connections} conversations, seed ${seed}`);
    // Each address once, and a random probe for each domain; MX of the domain, A of its mail host. A busy machine
    // may lose a packet or exceed a deadline now and then.
    assert.ok(recipients <= 1.01 * (addresses + domains), `${recipients} recipients`);
    assert.ok(dns.queries <= 1.01 * 2 * domains, `${dns.queries} DNS queries`);
  } finally {
    client.close();
    await service.stop();
    await fixture.close();
  }
});
