import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import { enrolAt } from '../../../src/features/probers/https-source.ts';
import { makeProberSecret } from '../../../src/features/probers/prober-records.ts';
import { openProberFixture, type ProberFixture } from '../../support/open-prober-fixture.ts';
import { createRandom } from '../../support/random.ts';
import { until } from '../../support/until.ts';
import { openBadLine } from './bad-line.ts';

const people = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`p${n}`, 'exists' as const]));
const world: WorldDescription = {
  zones: { 'strict.test': { mx: [[10, 'mx.strict.test']] }, 'all.test': { mx: [[10, 'mx.all.test']] } },
  hosts: { 'mx.strict.test': { mailboxes: people }, 'mx.all.test': { temper: { catchAll: true } } },
};

/** The same number is a mailbox, nobody's, and one of a host that takes all. */
function expectedOf(n: number): { email: string; status: string } {
  if (n % 3 === 0) return { email: `p${n}@strict.test`, status: 'safe' };
  return n % 3 === 1
    ? { email: `nobody${n}@strict.test`, status: 'invalid' }
    : { email: `p${n}@all.test`, status: 'catch_all' };
}

/** One that holds nothing, because it says that it cannot ask. */
async function enrolForger(fixture: ProberFixture) {
  const { token } = await fixture.invite('forger');
  const secret = makeProberSecret();
  const instance = 'forger-instance';
  const signal = new AbortController().signal;
  await enrolAt({ centre: new URL(fixture.url), secret, token, signal });
  const leased = await fetch(new URL('/probe/v1/lease', fixture.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({
      instance,
      version: '0',
      places: 1,
      egress: ['default'],
      unwell: 'mail_port_blocked',
      wait_ms: 0,
      conversations: 0,
      resting: 0,
    }),
  });
  assert.equal(leased.status, 200, await leased.text());
  return { secret, instance };
}

const singles = 90;
const clients = 6;

async function askSingles({ client, account }: ProberFixture): Promise<unknown[]> {
  const wrong: unknown[] = [];
  const numbers = Array.from({ length: singles }, (_, n) => n).values();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (const n of numbers) {
        const { email, status } = expectedOf(n);
        // A busy machine may turn one away in the moment of its commit. By its key, who comes again is charged once.
        const headers = { 'Idempotency-Key': `single-${n}` };
        const { body, creditsUsed } = await client.verify(account.liveKey, email, { headers });
        if (body['status'] !== status || creditsUsed !== '1') wrong.push({ email, body, creditsUsed });
      }
    }),
  );
  return wrong;
}

for (const database of ['SQLite', 'PostgreSQL'] as const) {
  test(`a prober behind a line that loses, repeats, delays and forges reports, on ${database}: every verdict right, every credit charged once`, async (t) => {
    const fixture = await openProberFixture({ world, database });
    const seed = Math.floor(Math.random() * 2 ** 31);
    const line = await openBadLine({
      centre: fixture.url,
      random: createRandom(seed),
      forger: await enrolForger(fixture),
    });
    try {
      await fixture.startProber('far', { url: line.url });
      await fixture.untilWell('far');
      const { client, account } = fixture;
      const batch = Array.from({ length: 99 }, (_, n) => expectedOf(singles + n));
      const task = await client.createdTask(
        account.liveKey,
        batch.map(({ email }) => email),
      );
      assert.deepEqual(await askSingles(fixture), [], `seed ${seed}`);
      const results = await client.results(account.liveKey, task);
      const wrong = batch.filter(({ email, status }) => results[email]?.status !== status);
      assert.deepEqual(wrong, [], `seed ${seed}`);
      t.diagnostic(JSON.stringify({ seed, ...line.did }));
      assert.ok(
        Object.values(line.did).every((times) => times > 0),
        'each mishap came about',
      );

      // What was reserved for one that was turned away comes back when the time of its request is over.
      const { spent } = await until(
        () => fixture.fixture.balance(account.accountId),
        ({ reserved }) => reserved === 0,
      );
      assert.equal(spent, singles + batch.length);
      const { violations } = await fixture.fixture.command('audit');
      assert.deepEqual(violations, []);
      const [forger] = (await fixture.list()).filter(({ name }) => name === 'forger');
      assert.equal(forger?.answered, 0, 'nothing of the forger counted');
    } finally {
      await fixture.close();
      await line.close();
    }
  });
}
