/** A prober as in an office: a separate process, behind a proxy, with a wrong clock and an unsteady line. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { WorldDescription } from '@mailproof/world';
import { startMailproof, type Started } from '../../support/mailproof.ts';
import { openProberFixture, type ProberFixture } from '../../support/open-prober-fixture.ts';
import { startTlsProxy } from './start-tls-proxy.ts';

const world: WorldDescription = {
  zones: { 'strict.test': { mx: [[10, 'mx.strict.test']] }, 'all.test': { mx: [[10, 'mx.all.test']] } },
  hosts: {
    'mx.strict.test': {
      mailboxes: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`p${n}`, 'exists'])),
    },
    'mx.all.test': { temper: { catchAll: true } },
  },
};

/** The interval of dropped connections; a prober's long poll is longer than that. */
const dropEveryMs = 2_000;
const skewing = fileURLToPath(import.meta.resolve('../nemesis/skew-clock.ts'));
const singles = 60;

function expectedOf(n: number): { email: string; status: string } {
  if (n % 3 === 0) return { email: `p${n}@strict.test`, status: 'safe' };
  return n % 3 === 1
    ? { email: `nobody${n}@strict.test`, status: 'invalid' }
    : { email: `p${n}@all.test`, status: 'catch_all' };
}

for (const minutes of [10, -10])
  describe(`a prober whose clock is ${minutes} minutes off, behind a proxy that ends TLS and drops its connections`, () => {
    let fixture: ProberFixture;
    let proxy: Awaited<ReturnType<typeof startTlsProxy>>;
    let prober: Started;
    const folder = mkdtempSync(join(tmpdir(), 'mailproof-far-'));
    before(async () => {
      fixture = await openProberFixture({ world, database: 'SQLite' });
      proxy = await startTlsProxy(fixture.url);
      const { token } = await fixture.invite('far');
      prober = startMailproof(['prober', '--url', proxy.url, '--token', token], {
        env: {
          ...fixture.fixture.world.environment,
          MAILPROOF_DATA_DIR: folder,
          NODE_EXTRA_CA_CERTS: proxy.certificateFile,
          SKEW_CLOCK_MS: String(minutes * 60_000),
        },
        preload: skewing,
      });
      await fixture.untilWell('far');
    });
    after(async () => {
      await prober.kill();
      await fixture.close();
      await proxy.close();
      rmSync(folder, { recursive: true, force: true });
    });

    test('every verdict is right, and charged once', async (t) => {
      const { client, account } = fixture;
      const dropping = setInterval(proxy.drop, dropEveryMs);
      t.after(() => clearInterval(dropping));
      const wrong: unknown[] = [];
      for (let n = 0; n < singles; n += 1) {
        const { email, status } = expectedOf(n);
        const { body, creditsUsed } = await client.verify(account.liveKey, email);
        if (body['status'] !== status || creditsUsed !== '1') wrong.push({ email, body, creditsUsed });
        // Some requests meet a broken connection, and some a restored one.
        if (n % 10 === 9) proxy.drop();
      }
      assert.deepEqual(wrong, []);
      const { spent, reserved } = await fixture.fixture.balance(account.accountId);
      assert.deepEqual({ spent, reserved }, { spent: singles, reserved: 0 });
      assert.ok(proxy.taken() > 2, 'it had to connect again');
      const [far] = await fixture.list();
      assert.equal(far?.state, 'well');
    });

    test('it ends in good order when it is asked to', async () => {
      assert.equal(await prober.stop(), 0, prober.stderr());
    });
  });
