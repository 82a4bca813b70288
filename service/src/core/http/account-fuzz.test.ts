import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import { keyScopes, type AccountKey, type CreatedKey, type KeyScope } from '@mailproof/client';
import { audit } from '../../start/whole-store.ts';
import { issueKey, type IssuedKey } from '../keys/issue-key.ts';
import { oneDatabase } from '../../../test/support/databases.ts';
import {
  openHttpFixture,
  type HttpFixture,
  type Asked,
} from '../../../test/support/http/open-http-fixture.ts';

const runs = 400;

/** Text of every sort, with what tends to break things more often than chance would have it. */
const oddText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '__proto__',
    "' or 1=1 --",
    '../../..',
    '%00',
    '-1',
    '1e9',
    'null',
    '🙂'.repeat(30),
  ),
  fc.integer().map(String),
);

const path = fc.constantFrom(
  '',
  '/ledger',
  '/usage',
  '/tasks',
  '/keys',
  '/keys/x',
  '/keys/OURS',
  '/keys/THEIRS',
  '/keys/%00',
);

const webhookPath = fc.constantFrom(
  '',
  '/x',
  '/HOOK',
  '/HOOK/test',
  '/HOOK/rotate-secret',
  '/HOOK/deliveries',
  '/HOOK/deliveries/HOOK/send',
  '/HOOK/deliveries/%00/send',
  '/%00',
);

const query = fc
  .array(fc.tuple(fc.constantFrom('limit', 'before', 'days', 'explain', 'limit[]', '__proto__'), oddText), {
    maxLength: 3,
  })
  .map((pairs) =>
    pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&'),
  );

const body = fc.oneof(
  fc.constant(undefined),
  fc.json(),
  oddText.map((text) => JSON.stringify({ name: text })),
  fc
    .record(
      {
        name: fc.anything(),
        mode: fc.constantFrom('live', 'test', 'x', 1),
        scopes: fc.oneof(fc.subarray([...keyScopes, 'x']), fc.constant(null), oddText),
        expires_at: fc.oneof(fc.constantFrom(null, '2030-01-01', '2030-01-01T00:00:00Z'), oddText),
        allowed_ips: fc.oneof(fc.constant(['127.0.0.0/8']), fc.array(oddText), fc.constant(null)),
        credits_per_day: fc.constantFrom(null, 1, 0, 1e300, 'x'),
      },
      { requiredKeys: [] },
    )
    .map((given) => JSON.stringify(given)),
  fc
    .record({
      url: fc.oneof(oddText, fc.constant('https://hooks.example.com/'), fc.webUrl()),
      events: fc.oneof(fc.anything(), fc.constant(['task.completed']), fc.constant(['credits.low', 'x'])),
      credits_low_at: fc.constantFrom(undefined, 0, 1, 1e300, '1', null),
      enabled: fc.constantFrom(undefined, true, false, 'yes'),
    })
    .map((given) => JSON.stringify(given)),
  fc.record({ key: oddText }).map((given) => JSON.stringify(given)),
  fc.record({ admin_token: oddText }).map((given) => JSON.stringify(given)),
  oddText,
);

const request = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT' as const),
  path: fc.oneof(
    { weight: 6, arbitrary: path.map((end) => `/api/v1/account${end}`) },
    { weight: 4, arbitrary: webhookPath.map((end) => `/api/v1/webhooks${end}`) },
    { weight: 1, arbitrary: fc.constant('/session') },
  ),
  query,
  body,
  as: fc.constantFrom(
    'live',
    'test',
    'reader',
    'writer',
    'elsewhere',
    'session',
    'operator',
    'nobody' as const,
  ),
  csrf: fc.constantFrom('right', 'wrong', 'none' as const),
});

for (const database of oneDatabase) {
  describe(`random requests to the account's endpoints on ${database.name}`, () => {
    let fixture: HttpFixture;
    before(async () => {
      fixture = await openHttpFixture(database);
    });
    after(() => fixture.close());

    test(`${runs} of them: only documented answers, nothing beyond account or scope, clean books`, async () => {
      const sessions = {
        session: await fixture.signInWith(fixture.ours.live),
        operator: await fixture.signInAsOperator(),
      };
      const hook = { url: 'https://theirs.example.com/', events: ['task.completed'] };
      const made = await fixture.ask({
        method: 'POST',
        url: '/api/v1/webhooks',
        key: fixture.theirs.live,
        body: hook,
      });
      const theirHook = made.json<{ webhook_id: string; secret: string }>();
      const limited = await limitedKeys(fixture);
      const before = await theirState(fixture);
      const statuses = new Set<number>();
      await fc.assert(
        fc.asyncProperty(request, async (given) => {
          const response = await send(given, { fixture, sessions, limited, hook: theirHook.webhook_id });
          holdScopes(given, response);
          statuses.add(response.statusCode);
          for (const theirs of [
            fixture.theirs.accountId,
            fixture.theirs.live.apiKey,
            fixture.theirs.live.last4,
            theirHook.webhook_id,
            theirHook.secret,
          ])
            assert.ok(!response.body.includes(theirs));
          // Nobody is slowed, and no key is missed, for what the run before did.
          fixture.time.advance(61_000);
        }),
        { numRuns: runs },
      );
      assert.equal(await theirState(fixture), before);
      for (const status of [200, 400, 401, 403, 404, 405]) assert.ok(statuses.has(status), String(status));
      const { violations } = await audit({ store: fixture.store }, { since: 0 });
      assert.deepEqual(violations, []);
    });
  });
}

type Given = typeof request extends fc.Arbitrary<infer T> ? T : never;
type Sessions = Record<'session' | 'operator', { cookie: string; csrfToken: string }>;
type Limited = Record<'reader' | 'writer' | 'elsewhere', IssuedKey>;

const writerScopes: readonly KeyScope[] = ['verify', 'account:write'];

/** Keys of ours that may read alone, may change alone, and may not be used from here. */
async function limitedKeys({ ours: { accountId }, parts }: HttpFixture): Promise<Limited> {
  const issue = async (limits: NonNullable<Parameters<typeof issueKey>[0]['limits']>) => {
    const issued = await issueKey({ accountId, mode: 'live', limits }, parts);
    assert.ok(issued.kind === 'issued');
    return issued;
  };
  return {
    reader: await issue({ scopes: ['account:read'] }),
    writer: await issue({ scopes: writerScopes }),
    elsewhere: await issue({ allowedIps: ['192.0.2.0/24'] }),
  };
}

/** What a limited key must never be answered, whatever it asks for. */
function holdScopes(
  { as, method, path: where }: Given,
  { statusCode, body: text }: LightMyRequestResponse,
): void {
  const succeeded = statusCode < 300;
  if (!where.startsWith('/api/')) return;
  if (as === 'elsewhere') assert.ok([400, 401, 404, 405].includes(statusCode), text);
  if (as === 'reader') assert.ok(!succeeded || method === 'GET', `${method} ${where}`);
  if (as !== 'writer') return;
  assert.ok(!succeeded || method !== 'GET', `${method} ${where}`);
  if (!succeeded || text === '' || !where.startsWith('/api/v1/account/keys')) return;
  const { scopes } = JSON.parse(text) as AccountKey | CreatedKey;
  assert.ok(
    scopes?.every((scope) => writerScopes.includes(scope)),
    text,
  );
}

/** The fixture holds every answer against the OpenAPI document, and fails on a 500. */
function send(
  { method, path: where, query: asked, body: text, as, csrf }: Given,
  {
    fixture,
    sessions,
    limited,
    hook,
  }: { fixture: HttpFixture; sessions: Sessions; limited: Limited; hook: string },
): Promise<LightMyRequestResponse> {
  const { ours, theirs } = fixture;
  const url = where
    .replace('OURS', ours.test.keyId)
    .replace('THEIRS', theirs.live.keyId)
    .replaceAll('HOOK', hook);
  const identity: Partial<Asked> =
    as === 'live' || as === 'test'
      ? { key: ours[as] }
      : as === 'nobody'
        ? {}
        : as === 'session' || as === 'operator'
          ? { session: sessions[as] }
          : { key: limited[as] };
  return fixture.ask({
    method,
    url: asked === '' ? url : `${url}?${asked}`,
    ...identity,
    ...(csrf === 'right' ? {} : { csrf: csrf === 'wrong' ? 'wrong' : undefined }),
    ...(text === undefined ? {} : { body: text.toWellFormed() }),
  });
}

async function theirState({ ask, theirs }: HttpFixture): Promise<string> {
  const urls = ['', '/ledger', '/tasks', '/keys'].map((end) => `/api/v1/account${end}`);
  urls.push('/api/v1/webhooks');
  const answers = await Promise.all(urls.map((url) => ask({ url, key: theirs.live })));
  return JSON.stringify(answers.map((answer) => answer.json<unknown>()));
}
