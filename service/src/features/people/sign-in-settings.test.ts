import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig, type Config } from '../../start/config.ts';
import { signInSettings, type SignInConfig } from './sign-in-settings.ts';

type Row<Key extends keyof SignInConfig> = {
  key: Key;
  usual: SignInConfig[Key];
  good: readonly (readonly [text: string, value: SignInConfig[Key]])[];
  bad: readonly string[];
};

function row<Key extends keyof SignInConfig>(described: Row<Key>): Row<keyof SignInConfig> {
  return described;
}

/** What signing in with a provider needs. */
const oidc = {
  MAILPROOF_OIDC_ISSUER: 'https://login.example.com',
  MAILPROOF_OIDC_CLIENT_ID: 'mailproof',
  MAILPROOF_OIDC_CLIENT_SECRET: 'a secret',
  MAILPROOF_PUBLIC_URL: 'https://mail.example.com',
};

const rows = [
  row({
    key: 'publicUrl',
    usual: undefined,
    good: [
      ['https://mail.example.com/', 'https://mail.example.com'],
      ['http://localhost:8080', 'http://localhost:8080'],
    ],
    bad: [
      'http://mail.example.com',
      'https://mail.example.com/path',
      'mail.example.com',
      'https://u@x.example',
    ],
  }),
  row({
    key: 'keySignIn',
    usual: 'on',
    good: [['off', 'off']],
    bad: ['no'],
  }),
  row({
    key: 'oidcIssuer',
    usual: undefined,
    good: [
      ['https://login.example.com/realm', 'https://login.example.com/realm'],
      ['http://127.0.0.1:9000', 'http://127.0.0.1:9000'],
      ['http://[::1]:9000', 'http://[::1]:9000'],
    ],
    bad: [
      'http://login.example.com',
      'http://10.0.0.1',
      'login.example.com',
      'https://x.example/?a',
      'ftp://x.example',
    ],
  }),
  ...(['oidcClientId', 'oidcClientSecret', 'oidcName'] as const).map((key) =>
    row({ key, usual: undefined, good: [['a b', 'a b']], bad: ['\u{1f511}', 'x'.repeat(501)] }),
  ),
  row({
    key: 'oidcOperators',
    usual: [],
    good: [['Jane@Example.com, sub:0a1B', ['jane@example.com', 'sub:0a1B']]],
    bad: ['jane', 'sub:', 'jane@example.com,'],
  }),
];

test('the rows above are all of them', () => {
  assert.deepEqual(
    rows.map(({ key }) => key),
    Object.keys(signInSettings),
  );
});

for (const { key, usual, good, bad } of rows) {
  const [name] = signInSettings[key].names;
  describe(name, () => {
    test('has its default when it is not set or empty', () => {
      assert.deepEqual(read({})[key], usual);
      assert.deepEqual(read({ [name]: ' ' })[key], usual);
    });

    test('takes what it may be', () => {
      for (const [text, value] of good) assert.deepEqual(read({ ...oidc, [name]: text })[key], value, text);
    });

    test('refuses anything else in one line that names it and says what it may be', () => {
      for (const text of bad)
        assert.match(lineOf({ [name]: text }), new RegExp(`^${name} .*; it may be .+$`), text);
    });
  });
}

test('a provider needs all that it takes, and nobody is left without a way to sign in', () => {
  for (const name of ['MAILPROOF_OIDC_CLIENT_ID', 'MAILPROOF_OIDC_CLIENT_SECRET', 'MAILPROOF_PUBLIC_URL'])
    assert.equal(lineOf({ ...oidc, [name]: '' }), `MAILPROOF_OIDC_ISSUER is set; it needs ${name} too`);
  assert.match(lineOf({ MAILPROOF_OIDC_OPERATORS: 'jane@example.com' }), /need MAILPROOF_OIDC_ISSUER too/);
  assert.match(lineOf({ MAILPROOF_KEY_SIGN_IN: 'off' }), /nobody could sign in/);
});

function read(env: Record<string, string>): Config {
  const found = readConfig(env);
  assert.equal(found.kind, 'ok', found.kind === 'bad' ? found.problem : '');
  return found.config;
}

function lineOf(env: Record<string, string>): string {
  const found = readConfig(env);
  assert.equal(found.kind, 'bad', JSON.stringify(env));
  return found.problem;
}
