import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { listChanges } from '../../operator/audit-log/list-changes.ts';
import type { Asked, SignedIn } from '../../../../test/support/http/open-http-fixture.ts';
import { oneDatabase } from '../../../../test/support/databases.ts';
import { refusal } from '../../../../test/support/http/ask.ts';
import {
  openOidcFixture,
  publicUrl,
  type OidcFixture,
} from '../../../../test/support/oidc/open-oidc-fixture.ts';

const roles = ['owner', 'member', 'viewer'] as const;
type Role = (typeof roles)[number];

const none = '00000000-0000-4000-8000-000000000000';

type Route = Pick<Asked, 'method' | 'url' | 'body'> & { may: readonly Role[] };

const everybody = roles;
const working = ['owner', 'member'] as const;
const owners = ['owner'] as const;

/** Every route of an account, and who may use it. What is named does not exist, so that nothing is changed by trying. */
const routes: Route[] = [
  { method: 'POST', url: '/api/v1/email-verification', body: { email: 'a@example.com' }, may: working },
  {
    method: 'POST',
    url: '/api/v1/bulk-email-verification',
    body: { emails: ['a@example.com'] },
    may: working,
  },
  { url: `/api/v1/bulk-email-verification/${none}`, may: everybody },
  { method: 'POST', url: '/api/v1/lists?name=x', body: 'email\na@example.com\n', may: working },
  { url: '/api/v1/lists', may: everybody },
  { url: `/api/v1/lists/${none}`, may: everybody },
  { url: `/api/v1/lists/${none}/rows`, may: everybody },
  { url: `/api/v1/lists/${none}/rows/1`, may: everybody },
  { url: `/api/v1/lists/${none}/download`, may: everybody },
  { method: 'PATCH', url: `/api/v1/lists/${none}`, body: { name: 'y' }, may: working },
  ...['start', 'pause', 'resume', 'cancel'].map((action): Route => ({
    method: 'POST',
    url: `/api/v1/lists/${none}/${action}`,
    body: {},
    may: working,
  })),
  { method: 'DELETE', url: `/api/v1/lists/${none}`, may: working },
  { url: '/api/v1/account', may: everybody },
  { url: '/api/v1/account/ledger', may: everybody },
  { url: '/api/v1/account/usage', may: everybody },
  { url: '/api/v1/account/tasks', may: everybody },
  { url: '/api/v1/account/keys', may: everybody },
  { method: 'POST', url: '/api/v1/account/keys', body: { mode: 'test' }, may: owners },
  { method: 'PATCH', url: '/api/v1/account/keys/nokey', body: { name: 'y' }, may: owners },
  { method: 'DELETE', url: '/api/v1/account/keys/nokey', may: owners },
  { url: '/api/v1/webhooks', may: everybody },
  { url: `/api/v1/webhooks/${none}`, may: everybody },
  { url: `/api/v1/webhooks/${none}/deliveries`, may: everybody },
  {
    method: 'POST',
    url: '/api/v1/webhooks',
    body: { url: 'https://a.example', events: ['task.completed'] },
    may: owners,
  },
  { method: 'PATCH', url: `/api/v1/webhooks/${none}`, body: { enabled: false }, may: owners },
  { method: 'DELETE', url: `/api/v1/webhooks/${none}`, may: owners },
  { method: 'POST', url: `/api/v1/webhooks/${none}/rotate-secret`, may: owners },
  { method: 'POST', url: `/api/v1/webhooks/${none}/test`, may: owners },
  { url: '/api/v1/account/people', may: owners },
  { method: 'PATCH', url: `/api/v1/account/people/${none}`, body: { role: 'owner' }, may: owners },
  { method: 'DELETE', url: `/api/v1/account/people/${none}`, may: owners },
  { method: 'POST', url: '/api/v1/account/invitations', body: { role: 'viewer' }, may: owners },
  { method: 'DELETE', url: `/api/v1/account/invitations/${none}`, may: owners },
];

/** Publishable keys have a fixture of their own, and form checks come from anybody. */
const elsewhere = ['/api/v1/account/form-keys', '/api/v1/form-check', '/deliveries/{deliveryId}'];

for (const database of oneDatabase) {
  describe(`people on ${database.name}`, () => {
    let fixture: OidcFixture;
    const sessions = new Map<Role, SignedIn>();
    before(async () => {
      fixture = await openOidcFixture(database);
      for (const role of roles) sessions.set(role, await join(`the-${role}`, role));
    });
    after(() => fixture.close());

    const sessionOf = (role: Role): SignedIn => {
      const session = sessions.get(role);
      assert.ok(session);
      return session;
    };

    async function invite(role: Role, more: Partial<Asked> = {}, email?: string): Promise<string> {
      const body = { role, ...(email === undefined ? {} : { email }) };
      const by = 'session' in more || 'asOperator' in more ? more : { key: fixture.ours.live };
      const response = await fixture.ask({
        method: 'POST',
        url: '/api/v1/account/invitations',
        body,
        ...by,
        ...more,
      });
      assert.equal(response.statusCode, 201, response.body);
      const { url } = response.json<{ url: string }>();
      assert.ok(url.startsWith(`${publicUrl}/invitation#`));
      return url.slice(url.indexOf('#') + 1);
    }

    async function join(login: string, role: Role): Promise<SignedIn> {
      return fixture.signInAs(login, { invitation: await invite(role) });
    }

    const personOf = async (session: SignedIn) =>
      (await fixture.ask({ url: '/session', session })).json<{
        account: { account_id: string; key: unknown };
        person: { person_id: string; role: string; email: string; accounts: unknown[] };
      }>();

    test('the table has every route of an account', async () => {
      const document: unknown = JSON.parse((await fixture.server.inject('/openapi.json')).body);
      const { paths } = document as { paths: Record<string, Record<string, unknown>> };
      const described = Object.entries(paths).flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
      );
      const ofAccounts = described.filter(
        (one) => one.includes(' /api/v1/') && !elsewhere.some((part) => one.includes(part)),
      );
      const shape = (text: string) =>
        text
          .replace(/\?.*$/, '')
          .replace(/\{[^}]+\}|nokey|\/rows\/1$|0{8}[\d-]+/g, (part) =>
            part.startsWith('/rows') ? '/rows/*' : '*',
          );
      assert.deepEqual(
        routes.map(({ method = 'GET', url }) => shape(`${method} ${url}`)).sort(),
        ofAccounts.map(shape).sort(),
      );
    });

    for (const role of roles)
      test(`a ${role} may do what the table says, on every route, and nothing else`, async () => {
        const session = sessionOf(role);
        for (const { may, ...route } of routes) {
          const headers = typeof route.body === 'string' ? { 'content-type': 'text/csv' } : {};
          const response = await fixture.ask({ ...route, session, headers });
          const told = `${route.method ?? 'GET'} ${route.url} as ${role}: ${response.body}`;
          const isRefused = response.statusCode === 403;
          assert.equal(isRefused, !may.includes(role), told);
          if (isRefused) assert.deepEqual(response.json(), refusal('insufficient_scope'), told);
          else assert.ok(response.statusCode < 500 && response.statusCode !== 401, told);
        }
      });

    test('a person sees their own account and no other', async () => {
      const { account, person } = await personOf(sessionOf('viewer'));
      assert.deepEqual([account.account_id, account.key], [fixture.ours.accountId, null]);
      assert.deepEqual(
        [person.role, person.email, person.accounts.length],
        ['viewer', 'the-viewer@example.com', 1],
      );
      const refused = await fixture.tryAs('the-viewer', { account_id: fixture.theirs.accountId });
      assert.equal(refused.statusCode, 403);
    });

    test('only who is not limited manages people: no test key, and no limited key', async () => {
      const limited = await fixture.ask({
        method: 'POST',
        url: '/api/v1/account/keys',
        key: fixture.ours.live,
        body: { expires_at: '2030-01-01' },
      });
      const expiring = { ...fixture.ours.live, apiKey: limited.json<{ api_key: string }>().api_key };
      for (const key of [fixture.ours.test, expiring]) {
        const response = await fixture.ask({ url: '/api/v1/account/people', key });
        assert.deepEqual([response.statusCode, response.json()], [403, refusal('insufficient_scope')]);
      }
    });

    test('a changed role holds within a second, and what a person does bears their name', async () => {
      const session = await join('climber', 'viewer');
      const { person } = await personOf(session);
      const create = () =>
        fixture.ask({ method: 'POST', url: '/api/v1/account/keys', session, body: { mode: 'test' } });
      assert.equal((await create()).statusCode, 403);
      const url = `/api/v1/account/people/${person.person_id}`;
      const promote = { method: 'PATCH', url, session: sessionOf('owner'), body: { role: 'owner' } } as const;
      const promoted = await fixture.ask(promote);
      assert.deepEqual(promoted.json<{ role: string }>().role, 'owner');
      fixture.time.advance(950);
      assert.equal((await create()).statusCode, 201);
      const [entry] = await listChanges({ limit: 1 }, fixture);
      assert.deepEqual([entry?.actor, entry?.action], [`person:${person.person_id}`, 'key_created']);
      await fixture.ask({ ...promote, body: { role: 'member' } });
      fixture.time.advance(950);
      assert.equal((await create()).statusCode, 403);
    });

    test('a removed person is out within a second; everybody may leave, but for the last owner', async () => {
      const session = await join('leaver', 'viewer');
      const { person } = await personOf(session);
      const other = await personOf(sessionOf('member'));
      const remove = (personId: string, by: SignedIn) =>
        fixture.ask({ method: 'DELETE', url: `/api/v1/account/people/${personId}`, session: by });
      assert.equal((await remove(other.person.person_id, session)).statusCode, 403);
      assert.equal((await remove(person.person_id, session)).statusCode, 204);
      fixture.time.advance(950);
      assert.equal((await fixture.ask({ url: '/session', session })).statusCode, 401);
      assert.equal((await fixture.tryAs('leaver')).statusCode, 403);
      const owner = await personOf(sessionOf('owner'));
      const last = await remove(owner.person.person_id, sessionOf('owner'));
      assert.deepEqual([last.statusCode, last.json()], [409, refusal('last_owner')]);
    });

    test('an invitation is good once, for the address it names', async () => {
      const token = await invite('viewer', {}, 'named@example.com');
      assert.match((await fixture.tryAs('other', { invitation: token })).body, /for another address/);
      assert.equal((await fixture.tryAs('named', { invitation: token })).statusCode, 303);
      assert.match((await fixture.tryAs('late', { invitation: token })).body, /no longer good/);
    });

    test('the operator invites the first owner of an account, and sees who is in it', async () => {
      const url = `/admin/v1/accounts/${fixture.theirs.accountId}`;
      const operator = { asOperator: true } as const;
      const invited = await fixture.ask({
        method: 'POST',
        url: `${url}/invitations`,
        body: { role: 'owner' },
        ...operator,
      });
      assert.equal(invited.statusCode, 201, invited.body);
      const link = invited.json<{ url: string }>().url;
      const session = await fixture.signInAs('theirs', { invitation: link.split('#')[1] ?? '' });
      assert.equal((await personOf(session)).account.account_id, fixture.theirs.accountId);
      const listed = await fixture.ask({ url: `${url}/people`, ...operator });
      assert.deepEqual(
        listed.json<{ people: { email: string }[] }>().people.map(({ email }) => email),
        ['theirs@example.com'],
      );
    });
  });
}
