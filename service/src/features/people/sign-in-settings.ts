import { parseAddress } from '@mailproof/engine';
import { listOf, oneOf, usually, usuallyNone, type Setting } from '../../core/config/setting.ts';

/** The settings of signing in: with a key, or with an OpenID provider. They are part of the table in config.ts. */
export type SignInConfig = {
  /** Without a slash at its end. */
  publicUrl: string | undefined;
  keySignIn: 'on' | 'off';
  oidcIssuer: string | undefined;
  oidcClientId: string | undefined;
  oidcClientSecret: string | undefined;
  oidcName: string | undefined;
  /** Each an address in lower case, or `sub:` and a subject. */
  oidcOperators: string[];
};

declare module '../../core/config/config.ts' {
  interface Config extends SignInConfig {}
}

/** Anything else would carry codes and cookies past whoever listens; on this machine itself nobody does. */
const secureUrl = {
  mayBe: 'an https URL without query, user and fragment, or an http URL on 127.0.0.1, [::1] or localhost',
  parse: (text: string) => {
    const url = URL.parse(text);
    if (url === null || url.username !== '' || url.password !== '' || /[?#]/.test(text)) return undefined;
    const isLoopback = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback) ? text : undefined;
  },
};

const publicUrl = {
  mayBe: `${secureUrl.mayBe}, with no path`,
  parse: (text: string) => {
    const url = URL.parse(secureUrl.parse(text) ?? '');
    return url?.pathname === '/' ? url.origin : undefined;
  },
};

/** A line of text; a provider chooses what its ids and secrets look like. */
const visibleText = {
  mayBe: 'up to 500 visible ASCII characters',
  parse: (text: string) => (/^[\x20-\x7e]{1,500}$/.test(text) ? text : undefined),
};

export const signInSettings: { readonly [Name in keyof SignInConfig]: Setting<SignInConfig[Name]> } = {
  publicUrl: {
    names: ['MAILPROOF_PUBLIC_URL'],
    meaning:
      'where browsers reach the service: the provider sends them back there, and invitations lead there',
    ...usuallyNone,
    ...publicUrl,
  },
  keySignIn: {
    names: ['MAILPROOF_KEY_SIGN_IN'],
    meaning: 'whether the console can be opened with a key or the admin token; off: by OpenID Connect only',
    ...usually('on'),
    ...oneOf('on', 'off'),
  },
  oidcIssuer: {
    names: ['MAILPROOF_OIDC_ISSUER'],
    meaning: 'the OpenID provider that people sign in with, as it names itself; switches this on',
    ...usuallyNone,
    ...secureUrl,
  },
  oidcClientId: {
    names: ['MAILPROOF_OIDC_CLIENT_ID'],
    meaning: 'what the provider knows the service as',
    ...usuallyNone,
    ...visibleText,
  },
  oidcClientSecret: {
    names: ['MAILPROOF_OIDC_CLIENT_SECRET'],
    meaning: 'what the service proves with that it is this client',
    ...usuallyNone,
    ...visibleText,
    mask: () => '***',
  },
  oidcName: {
    names: ['MAILPROOF_OIDC_NAME'],
    meaning: 'what people know the provider by ("Sign in with …")',
    defaultText: 'the host of the issuer',
    defaultValue: () => undefined,
    ...visibleText,
  },
  oidcOperators: {
    names: ['MAILPROOF_OIDC_OPERATORS'],
    meaning: 'who signs in as the operator: addresses that the provider has verified, or subjects',
    defaultText: null,
    defaultValue: () => [],
    ...listOf('addresses such as jane@example.com, or sub:SUBJECT', parseOperator),
  },
};

function parseOperator(text: string): string | undefined {
  if (/^sub:[\x21-\x7e]{1,255}$/.test(text)) return text;
  return parseAddress(text).kind === 'invalid' ? undefined : text.toLowerCase();
}

/** What makes no sense together, in one line for the operator. */
export function findSignInProblem(config: SignInConfig): string | undefined {
  if (config.oidcIssuer !== undefined) {
    const needed = {
      MAILPROOF_OIDC_CLIENT_ID: config.oidcClientId,
      MAILPROOF_OIDC_CLIENT_SECRET: config.oidcClientSecret,
      MAILPROOF_PUBLIC_URL: config.publicUrl,
    };
    const missing = Object.entries(needed).find(([, value]) => value === undefined)?.[0];
    return missing === undefined ? undefined : `MAILPROOF_OIDC_ISSUER is set; it needs ${missing} too`;
  }
  if (config.oidcClientId !== undefined || config.oidcOperators.length > 0)
    return 'MAILPROOF_OIDC_CLIENT_ID and MAILPROOF_OIDC_OPERATORS need MAILPROOF_OIDC_ISSUER too';
  return config.keySignIn === 'off'
    ? 'MAILPROOF_KEY_SIGN_IN is off and MAILPROOF_OIDC_ISSUER is not set: nobody could sign in'
    : undefined;
}
