import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccount } from './accounts/create-account.ts';
import { setPlan } from './accounts/set-plan.ts';
import type { Reader } from '../store/statement.ts';
import { databases } from '../../../test/support/databases.ts';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { makeApiKey, readApiKey, writeApiKey } from './api-key.ts';
import { createAuthenticate } from './authenticate.ts';
import { deleteKey } from './delete-key.ts';
import { issueKey } from './issue-key.ts';
import { listKeys } from './list-keys.ts';
import { startKeyUses } from './note-key-uses.ts';

describe('the form of a key', () => {
  it('is prefix, id, secret and checksum', () => {
    for (const mode of ['live', 'test'] as const) {
      const key = makeApiKey(mode);
      const text = writeApiKey(key);
      assert.match(text, new RegExp(`^mp_${mode}_[0-9A-Za-z]{57}$`));
      assert.deepEqual(readApiKey(text), key);
    }
  });

  it('every single-character slip is refused', () => {
    const text = writeApiKey(makeApiKey('live'));
    const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    for (let at = 8; at < text.length; at += 1) {
      for (const letter of letters) {
        if (letter === text[at]) continue;
        assert.equal(readApiKey(text.slice(0, at) + letter + text.slice(at + 1)), undefined);
      }
    }
  });

  it('swapped neighbours, lost and added characters are refused', () => {
    const text = writeApiKey(makeApiKey('live'));
    for (let at = 8; at < text.length - 1; at += 1) {
      const [a, b] = [text.charAt(at), text.charAt(at + 1)];
      if (a !== b) assert.equal(readApiKey(text.slice(0, at) + b + a + text.slice(at + 2)), undefined);
      assert.equal(readApiKey(text.slice(0, at) + text.slice(at + 1)), undefined);
      assert.equal(readApiKey(text.slice(0, at) + 'x' + text.slice(at)), undefined);
    }
  });

  it('no two of 1,000 are alike', () => {
    const made = Array.from({ length: 1_000 }, () => makeApiKey('live'));
    assert.equal(new Set(made.map((key) => key.secret)).size, 1_000);
    assert.equal(new Set(made.map((key) => key.id)).size, 1_000);
  });
});

for (const database of databases) {
  describe(`keys on ${database.name}`, () => {
    async function setUp() {
      const { store, contents, close } = await database.open();
      const time = createTestClock();
      const parts = { store, wallClock: time.wallClock, actor: 'operator' as const };
      let reads = 0;
      const read: Reader = {
        all: store.read.all,
        first: (...args) => ((reads += 1), store.read.first(...args)),
      };
      const keyUses = startKeyUses({
        store,
        clock: time,
        wallClock: time.wallClock,
        onProblem: assert.ifError,
      });
      const { noteUse } = keyUses;
      const authenticate = createAuthenticate({
        store: { read },
        clock: time,
        wallClock: time.wallClock,
        noteUse,
      });
      const { accountId } = await createAccount({ name: 'a', plan: 'paid', credits: 0 }, parts);
      const issue = async (mode: 'live' | 'test' = 'live') => {
        const issued = await issueKey({ accountId, mode }, parts);
        assert.ok(issued.kind === 'issued');
        return issued;
      };
      return {
        store,
        contents,
        close,
        time,
        parts,
        authenticate,
        accountId,
        issue,
        keyUses,
        reads: () => reads,
      };
    }

    it('a key tells who calls, in which mode and with which plan', async () => {
      const { authenticate, issue, accountId, close } = await setUp();
      for (const mode of ['live', 'test'] as const) {
        const { apiKey, keyId } = await issue(mode);
        assert.deepEqual(await authenticate(`Bearer ${apiKey}`), { accountId, keyId, mode, plan: 'paid' });
        assert.deepEqual(await authenticate(`bearer  ${apiKey} `), { accountId, keyId, mode, plan: 'paid' });
      }
      await close();
    });

    it('missing, malformed, unknown, wrong and deleted have one answer', async () => {
      const { authenticate, issue, parts, close } = await setUp();
      const { apiKey, keyId } = await issue();
      const wrongSecret = writeApiKey({ ...makeApiKey('live'), id: keyId });
      const otherMode = writeApiKey({ ...readApiKey(apiKey)!, mode: 'test' });
      const deleted = await issue();
      await deleteKey({ keyId: deleted.keyId }, parts);
      for (const header of [
        undefined,
        '',
        'Bearer',
        'Bearer ',
        apiKey,
        `Basic ${apiKey}`,
        `Bearer ${apiKey}x`,
        `Bearer ${apiKey} ${apiKey}`,
        `Bearer ${writeApiKey(makeApiKey('live'))}`,
        `Bearer ${wrongSecret}`,
        `Bearer ${otherMode}`,
        `Bearer ${deleted.apiKey}`,
        `Bearer ${'x'.repeat(100_000)}`,
      ]) {
        assert.equal(await authenticate(header), undefined);
      }
      assert.notEqual(await authenticate(`Bearer ${apiKey}`), undefined);
      await close();
    });

    it('a deleted key stops within a second although it was just used', async () => {
      const { authenticate, issue, parts, time, close } = await setUp();
      const { apiKey, keyId } = await issue();
      assert.notEqual(await authenticate(`Bearer ${apiKey}`), undefined);
      assert.deepEqual((await deleteKey({ keyId }, parts)).kind, 'deleted');
      assert.deepEqual((await deleteKey({ keyId }, parts)).kind, 'key_not_found');
      time.advance(950);
      assert.equal(await authenticate(`Bearer ${apiKey}`), undefined);
      await close();
    });

    it('a changed plan counts within a second', async () => {
      const { authenticate, issue, parts, accountId, time, close } = await setUp();
      const { apiKey } = await issue();
      await authenticate(`Bearer ${apiKey}`);
      await setPlan({ accountId, plan: 'none' }, parts);
      time.advance(950);
      assert.equal((await authenticate(`Bearer ${apiKey}`))?.plan, 'none');
      await close();
    });

    it('a slip costs no look into the store, a second request within a second neither', async () => {
      const { authenticate, issue, reads, close } = await setUp();
      const { apiKey } = await issue();
      await authenticate(`Bearer ${apiKey.slice(0, -1)}${apiKey.endsWith('0') ? '1' : '0'}`);
      assert.equal(reads(), 0);
      await authenticate(`Bearer ${apiKey}`);
      await authenticate(`Bearer ${apiKey}`);
      assert.equal(reads(), 1);
      await close();
    });

    it('the store holds no secret', async () => {
      const { issue, contents, store, close } = await setUp();
      const secrets = [];
      for (let n = 0; n < 50; n += 1) secrets.push(readApiKey((await issue()).apiKey)!.secret);
      await store.truncateLog();
      const bytes = await contents();
      assert.ok(bytes.includes('api_key'));
      for (const secret of secrets) assert.equal(bytes.includes(secret), false);
      await close();
    });

    it('lists what was issued, without the secret', async () => {
      const { issue, parts, accountId, close } = await setUp();
      const { keyId, apiKey } = await issue('test');
      await deleteKey({ keyId }, parts);
      const [listed] = await listKeys(accountId, parts);
      const now = parts.wallClock.now();
      const last4 = readApiKey(apiKey)!.secret.slice(-4);
      assert.deepEqual(listed, {
        keyId,
        accountId,
        mode: 'test',
        name: 'Test key',
        last4,
        createdAt: now,
        deletedAt: now,
        limits: { scopes: null, expiresAt: null, allowedIps: null, creditsPerDay: null },
        lastUsedDay: null,
        creditsToday: null,
      });
      await close();
    });

    it('the day of its last use is noted, once a day, apart from the request', async () => {
      const { authenticate, issue, parts, accountId, time, keyUses, close } = await setUp();
      const { apiKey } = await issue();
      const lastUsed = async () => (await listKeys(accountId, parts))[0]?.lastUsedDay;
      const today = Math.floor(parts.wallClock.now() / 86_400_000);
      await authenticate(`Bearer ${apiKey}`);
      assert.equal(await lastUsed(), null);
      time.advance(2_000);
      await keyUses.stop();
      assert.equal(await lastUsed(), today);
      time.advance(86_400_000);
      await authenticate(`Bearer ${apiKey}`);
      await keyUses.stop();
      assert.equal(await lastUsed(), today + 1);
      await close();
    });

    it('an unknown account gets no key', async () => {
      const { parts, close } = await setUp();
      assert.deepEqual(await issueKey({ accountId: 'nobody', mode: 'live' }, parts), {
        kind: 'account_not_found',
      });
      await close();
    });
  });
}
