import { createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

/**
 * A real OpenID provider on loopback (the certified `oidc-provider`), with real keys and its own pages for sign-in
 * and consent. By default it tells the truth. A lie is signed with the true key, so that only one thing is wrong at
 * a time.
 */
export type TestProvider = {
  issuer: string;
  client: { clientId: string; clientSecret: string };
  /** Changes its answers from now on; `undefined`: the truth. */
  lie(lie: Lie | undefined): void;
  /** Requests per path. */
  asked: Map<string, number>;
  close(): Promise<void>;
};

export type Lie =
  /** Claims of the ID token that replace the true ones; undefined removes a claim. */
  | { kind: 'claims'; claims: Record<string, unknown> }
  | { kind: 'unsigned' }
  | { kind: 'other_key' }
  | { kind: 'no_id_token' }
  | { kind: 'metadata'; metadata: Record<string, unknown> }
  | { kind: 'huge'; path: string }
  /** It takes the request and never answers. */
  | { kind: 'hang'; path: string; onAsked: () => void };

/** Returns the claims of a login: `jane` is jane@example.com. The address of `unverified` is not verified. */
function claimsOf(login: string): Record<string, unknown> & { sub: string } {
  const email = `${login}@example.com`;
  return { sub: login, name: `The person ${login}`, email, email_verified: login !== 'unverified' };
}

export async function startProvider(redirectUris: string[]): Promise<TestProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const key = keys.own();
  const client = { clientId: 'mailproof', clientSecret: randomBytes(24).toString('base64url') };
  const provider = quietly(() => new Provider(issuer, configurationOf({ client, key, redirectUris })));
  provider.on('server_error', (_context, error) => process.stderr.write(`provider: ${String(error)}\n`));
  const asked = new Map<string, number>();
  let lie: Lie | undefined;
  provider.use(async (context, next) => {
    asked.set(context.path, (asked.get(context.path) ?? 0) + 1);
    if (lie?.kind === 'hang' && context.path === lie.path) {
      lie.onAsked();
      await new Promise((resolve) => context.req.once('close', resolve));
      return;
    }
    await next();
    if (lie !== undefined) tell(lie, context);
  });
  const handle = provider.callback();
  server.on('request', (request, response) => void handle(request, response));
  return {
    issuer,
    client,
    lie: (next) => (lie = next),
    asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Settings = { client: TestProvider['client']; key: KeyObject; redirectUris: string[] };

function configurationOf({ client, key, redirectUris }: Settings): Configuration {
  return {
    clients: [
      { client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: redirectUris },
    ],
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }] },
    cookies: { keys: [randomBytes(24).toString('base64url')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => claimsOf(id) }),
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
  };
}

const kid = 'the-key-of-the-provider';

/** Made on first use, once a process: a pair takes a tenth of a second. */
const keys = { own: onceMade(), other: onceMade() };

function onceMade(): () => KeyObject {
  let made: KeyObject | undefined;
  return () => (made ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
}

/** Silences its warnings about development-only features, which are wanted here. */
function quietly<T>(work: () => T): T {
  const { info, warn } = console;
  Object.assign(console, { info: () => undefined, warn: () => undefined });
  try {
    return work();
  } finally {
    Object.assign(console, { info, warn });
  }
}

/** The parts of an answer that a lie changes. */
type Answer = { readonly path: string; readonly status: number; body: unknown };

function tell(lie: Lie, context: Answer): void {
  if (lie.kind === 'huge' && context.path === lie.path) context.body = { filler: 'x'.repeat(300_000) };
  if (lie.kind === 'metadata' && context.path === '/.well-known/openid-configuration')
    context.body = { ...(context.body as object), ...lie.metadata };
  if (context.path !== '/token' || context.status !== 200) return;
  const body = context.body as { id_token: string };
  const { id_token: token, ...rest } = body;
  const [header = '', payload = ''] = token.split('.');
  switch (lie.kind) {
    case 'claims': {
      const claims = { ...read(payload), ...lie.claims };
      context.body = { ...rest, id_token: sign(read(header), claims, keys.own()) };
      break;
    }
    case 'unsigned':
      context.body = { ...rest, id_token: `${write({ alg: 'none' })}.${payload}.` };
      break;
    case 'other_key':
      context.body = { ...rest, id_token: sign(read(header), read(payload), keys.other()) };
      break;
    case 'no_id_token':
      context.body = rest;
      break;
    case 'metadata':
    case 'huge':
    case 'hang':
  }
}

const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object;
const write = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

function sign(header: object, claims: object, key: KeyObject): string {
  const text = `${write(header)}.${write(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
}
