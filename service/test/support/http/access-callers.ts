import assert from 'node:assert/strict';
import { keyScopes, type CreatedKey, type KeyScope } from '@mailproof/client';
import { makeApiKey, writeApiKey } from '../../../src/core/keys/api-key.ts';
import type { OidcFixture } from '../oidc/open-oidc-fixture.ts';
import { adminToken, type SignedIn } from './open-http-fixture.ts';

export type Mode = 'live' | 'test';

/** Somebody who calls, with what they come with. */
export type AccessCaller = {
  name: string;
  headers: Record<string, string>;
  /** Whose records they may see; none: nobody whom the API knows. */
  seat?: { account: 'ours' | 'theirs'; mode: Mode };
  /** Scopes in full, and those that may only be read. */
  scopes: readonly KeyScope[];
  readScopes?: readonly KeyScope[];
  /** Manages people: live and without any limit. */
  isOwner?: boolean;
  /** A key without a cap is stronger, so it is not for this one to change. */
  isCapped?: boolean;
  isOperator?: boolean;
};

export async function openCallers(fixture: OidcFixture): Promise<AccessCaller[]> {
  return [...(await outsiders(fixture)), ...(await keyHolders(fixture)), ...(await people(fixture))];
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const browser = ({ cookie, csrfToken }: SignedIn) => ({ cookie, 'x-csrf-token': csrfToken });

async function outsiders(fixture: OidcFixture): Promise<AccessCaller[]> {
  const none = { scopes: [] };
  const deleted = await createKey(fixture, {});
  await fixture.ask({
    method: 'DELETE',
    url: `/api/v1/account/keys/${deleted.key_id}`,
    key: fixture.ours.live,
  });
  const elsewhere = await createKey(fixture, { allowed_ips: ['203.0.113.0/24'] });
  return [
    { name: 'nobody', headers: {}, ...none },
    { name: 'a key that was never issued', headers: bearer(writeApiKey(makeApiKey('live'))), ...none },
    { name: 'a deleted key', headers: bearer(deleted.api_key), ...none },
    { name: 'a key from elsewhere', headers: bearer(elsewhere.api_key), ...none },
    { name: 'a made-up session', headers: { cookie: `mailproof_session=${'A'.repeat(43)}` }, ...none },
    { name: 'a prober', headers: bearer('mp_prober_x'), ...none },
    { name: 'the operator', headers: bearer(adminToken), isOperator: true, ...none },
    {
      name: 'the operator in the console',
      headers: browser(await fixture.signInAsOperator()),
      isOperator: true,
      ...none,
    },
  ];
}

async function keyHolders(fixture: OidcFixture): Promise<AccessCaller[]> {
  const { ours, theirs } = fixture;
  const callers: AccessCaller[] = [];
  for (const mode of ['live', 'test'] as const) {
    const seat = { account: 'ours', mode } as const;
    const isOwner = mode === 'live';
    const session = browser(await fixture.signInWith(ours[mode]));
    callers.push(
      { name: `a ${mode} key`, headers: bearer(ours[mode].apiKey), seat, scopes: keyScopes, isOwner },
      { name: `a session of a ${mode} key`, headers: session, seat, scopes: keyScopes, isOwner },
      {
        name: `another account's ${mode} key`,
        headers: bearer(theirs[mode].apiKey),
        seat: { account: 'theirs', mode },
        scopes: keyScopes,
        isOwner,
      },
    );
    for (const scope of keyScopes) {
      const { api_key } = await createKey(fixture, { mode, scopes: [scope] });
      callers.push({ name: `a ${mode} key for ${scope}`, headers: bearer(api_key), seat, scopes: [scope] });
    }
  }
  const capped = await createKey(fixture, { credits_per_day: 1 });
  const seat = { account: 'ours', mode: 'live' } as const;
  callers.push({
    name: 'a capped key',
    headers: bearer(capped.api_key),
    seat,
    scopes: keyScopes,
    isCapped: true,
  });
  return callers;
}

async function people(fixture: OidcFixture): Promise<AccessCaller[]> {
  const seat = { account: 'ours', mode: 'live' } as const;
  const working = ['verify', 'tasks', 'lists', 'account:read'] as const;
  const roles = {
    owner: { scopes: keyScopes, isOwner: true },
    member: { scopes: working },
    viewer: { scopes: ['account:read'], readScopes: ['tasks', 'lists'] },
  } as const;
  const callers: AccessCaller[] = [];
  for (const [role, powers] of Object.entries(roles)) {
    const invited = await fixture.ask({
      method: 'POST',
      url: '/api/v1/account/invitations',
      key: fixture.ours.live,
      body: { role },
    });
    const { url } = invited.json<{ url: string }>();
    const session = await fixture.signInAs(`the-${role}`, { invitation: url.slice(url.indexOf('#') + 1) });
    callers.push({ name: `a person as ${role}`, headers: browser(session), seat, ...powers });
  }
  return callers;
}

async function createKey(fixture: OidcFixture, body: object): Promise<CreatedKey> {
  const response = await fixture.ask({
    method: 'POST',
    url: '/api/v1/account/keys',
    key: fixture.ours.live,
    body,
  });
  assert.equal(response.statusCode, 201, response.body);
  return response.json<CreatedKey>();
}
