import assert from 'node:assert/strict';
import { parseCidr, type Cidr } from '@mailproof/engine';
import { createTestClock, type TestClock } from '../../../../engine/test/support/test-clock.ts';
import { createProvider } from '../../../src/features/people/oidc/create-provider.ts';
import { createSeal } from '../../../src/features/people/oidc/provider-visit.ts';
import type { WholeHttpParts } from '../../../src/start/whole-server.ts';
import type { OidcSignIn } from '../../../src/features/people/routes/people-parts.ts';
import type { TestDatabase } from '../databases.ts';
import { openHttpFixture, type SignedIn } from '../http/open-http-fixture.ts';
import { startProvider, type TestProvider } from './start-provider.ts';
import { visitProvider } from './visit-provider.ts';

/** The HTTP side with a real OpenID provider beside it. */
export type OidcFixture = Awaited<ReturnType<typeof openOidcFixture>>;

type Begun = { cookie: string; url: string };
type Wanted = { invitation?: string; account_id?: string };

export const publicUrl = 'https://mailproof.example';
const redirectUri = `${publicUrl}/session/callback`;
const loopback = [parseCidr('127.0.0.0/8')].filter((block) => block !== undefined);

type Options = {
  operators?: string[];
  keySignIn?: 'on' | 'off';
  egressAllow?: Cidr[];
  overrides?: Partial<WholeHttpParts>;
};

function signInBy(
  provider: TestProvider,
  { time, operators, egressAllow }: { time: TestClock; operators: string[]; egressAllow: Cidr[] },
): OidcSignIn {
  const settings = { ...provider.client, issuer: provider.issuer, name: 'Example Login', redirectUri };
  const nobody = () => Promise.reject(new Error('a literal address needs no look-up'));
  return {
    provider: createProvider(settings, {
      resolver: { ipv4: nobody, ipv6: nobody },
      clock: time,
      egressAllow,
      ownAddresses: () => [],
      signal: new AbortController().signal,
    }),
    seal: createSeal(provider.client.clientSecret),
    publicUrl,
    operators,
    now: () => 0,
  };
}

export async function openOidcFixture(
  database: TestDatabase,
  {
    operators = ['root@example.com'],
    keySignIn = 'on',
    egressAllow = loopback,
    overrides = {},
  }: Options = {},
) {
  const provider = await startProvider([redirectUri]);
  const time = createTestClock();
  const oidc = signInBy(provider, { time, operators, egressAllow });
  const fixture = await openHttpFixture(database, overrides, { oidc, keySignIn });
  const { server } = fixture;

  async function begin(wanted: Wanted = {}): Promise<Begun> {
    const response = await fixture.ask({ method: 'POST', url: '/session/provider', body: wanted });
    assert.equal(response.statusCode, 200, response.body);
    const [cookie = ''] = String(response.headers['set-cookie']).split(';');
    return { cookie, url: response.json<{ url: string }>().url };
  }

  /** Lets the browser come back, from a network of its own unless told otherwise: failures there slow nobody else. */
  let networks = 0;
  function comeBack(url: URL, cookie: string | undefined, headers: Record<string, string> = {}) {
    networks += 1;
    const from = `198.51.${Math.floor(networks / 250)}.${(networks % 250) + 1}`;
    return server.inject({
      method: 'GET',
      url: `${url.pathname}${url.search}`,
      headers: {
        'x-forwarded-for': from,
        'x-forwarded-proto': 'https',
        ...(cookie === undefined ? {} : { cookie }),
        ...headers,
      },
    });
  }

  /** The whole way: begin, the provider's pages, back. */
  async function tryAs(login: string, wanted: Wanted = {}) {
    const { cookie, url } = await begin(wanted);
    return comeBack(await visitProvider(url, { login, backTo: publicUrl }), cookie);
  }

  async function signInAs(login: string, wanted: Wanted = {}): Promise<SignedIn> {
    const response = await tryAs(login, wanted);
    assert.equal(response.statusCode, 303, response.body);
    return sessionOf(response.headers['set-cookie']);
  }

  async function sessionOf(setCookie: string | string[] | undefined): Promise<SignedIn> {
    const [cookie = ''] = [setCookie].flat().filter((text) => text?.startsWith('mailproof_session='));
    const pair = cookie.split(';')[0] ?? '';
    const response = await fixture.ask({ url: '/session', headers: { cookie: pair } });
    assert.equal(response.statusCode, 200, response.body);
    return { cookie: pair, csrfToken: response.json<{ csrf_token: string }>().csrf_token };
  }

  return {
    ...fixture,
    provider,
    providerTime: time,
    begin,
    comeBack,
    tryAs,
    signInAs,
    visit: (url: string, login: string, cancels = false) =>
      visitProvider(url, { login, backTo: publicUrl, cancels }),
    close: async () => {
      await fixture.close();
      await provider.close();
    },
  };
}
