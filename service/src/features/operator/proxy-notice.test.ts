import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCidr } from '@mailproof/engine';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { databases } from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import { createClientAddress } from '../../core/http/pipeline/client-network.ts';
import { createProxyNotice, readProxyProblem } from './proxy-notice.ts';

for (const database of databases) {
  describe(`forwarding headers from a peer that is not trusted, on ${database.name}`, () => {
    async function setUp() {
      const { store, close } = await database.open();
      const time = createTestClock();
      const { wallClock } = time;
      const lines: string[] = [];
      const logger = { warn: (_fields: object, message: string) => void lines.push(message) };
      const trustedProxies = [parseCidr('10.0.0.0/8')].filter((block) => block !== undefined);
      const notice = createProxyNotice({
        store,
        wallClock,
        logger,
        processId: 'one',
        onProblem: assert.ifError,
      });
      const clientAddress = createClientAddress(trustedProxies, notice);
      const send = (remoteAddress: string, headers: Record<string, string>) =>
        clientAddress({ headers, raw: { socket: { remoteAddress } } } as never);
      const problem = (trusted = trustedProxies) =>
        readProxyProblem({ store, wallClock, trustedProxies: trusted });
      return { close, time, lines, send, problem };
    }

    it('are noticed: one line in the log, and a problem that is kept', async () => {
      const { close, lines, send, problem } = await setUp();
      send('192.0.2.7', {});
      send('10.0.0.1', { 'x-forwarded-for': '198.51.100.1' });
      assert.deepEqual([lines, await problem()], [[], undefined], 'nobody spoke out of turn');
      for (let n = 0; n < 100; n += 1)
        assert.equal(send('192.0.2.7', { 'x-forwarded-for': `198.51.100.${n}` }), '192.0.2.7');
      send('192.0.2.8', { forwarded: 'for=198.51.100.1' });
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? '', /^192\.0\.2\.7 sends forwarding headers .*MAILPROOF_TRUSTED_PROXIES/);
      assert.equal(await until(problem, (found) => found !== undefined), lines[0]);
      await close();
    });

    it('are no problem once the peer is trusted, or a day after the last of them', async () => {
      const { close, time, send, problem } = await setUp();
      send('192.0.2.7', { 'x-forwarded-for': '198.51.100.1' });
      await until(problem, (found) => found !== undefined);
      const trusted = [parseCidr('192.0.2.7')].filter((block) => block !== undefined);
      assert.equal(await problem(trusted), undefined);
      time.advance(3_600_000);
      send('192.0.2.9', { 'x-forwarded-for': '198.51.100.1' });
      await until(problem, (found) => found?.startsWith('192.0.2.9') === true);
      time.advance(86_400_000);
      assert.equal(await problem(), undefined);
      await close();
    });
  });
}
