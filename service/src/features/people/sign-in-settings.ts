import { parseAddress } from '@mailproof/engine';
import { listOf, oneOf, usually, usuallyNone, type Setting } from '../../core/config/setting.ts';

/** Settings of signing in with a key or an OpenID provider, part of the table in config.ts. */
export type SignInConfig = {
  /** Without a trailing slash. */
  publicUrl: string | undefined;
  keySignIn: 'on' | 'off';
  oidcIssuer: string | undefined;
  oidcClientId: string | undefined;
  oidcClientSecret: string | undefined;
  oidcName: string | undefined;
  /** Each is an email address in lower case, or `sub:` and a subject. */
  oidcOperators: string[];
};

declare module '../../core/config/config.ts' {
  interface Config extends SignInConfig {}
}

/** Plain HTTP would expose codes and cookies on the network; within this machine it does not. */
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

/** A line of text; providers choose the form of their ids and secrets. */
const visibleText = {
  mayBe: 'up to 500 visible ASCII characters',
  parse: (text: string) => (/^[\x20-\x7e]{1,500}$/.test(text) ? text : undefined),
};

export const signInSettings: { readonly [Name in keyof SignInConfig]: Setting<SignInConfig[Name]> } = {
  publicUrl: {
    names: ['MAILPROOF_PUBLIC_URL'],
    meaning:
      'URL at which browsers reach the service, used for the return from the provider and in invitations',
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
    meaning: 'issuer URL of the OpenID provider; enables signing in with it',
    ...usuallyNone,
    ...secureUrl,
  },
  oidcClientId: {
    names: ['MAILPROOF_OIDC_CLIENT_ID'],
    meaning: 'OAuth client id',
    ...usuallyNone,
    ...visibleText,
  },
  oidcClientSecret: {
    names: ['MAILPROOF_OIDC_CLIENT_SECRET'],
    meaning: 'OAuth client secret',
    ...usuallyNone,
    ...visibleText,
    mask: () => '***',
  },
  oidcName: {
    names: ['MAILPROOF_OIDC_NAME'],
    meaning: 'display name of the provider ("Sign in with …")',
    defaultText: 'the host of the issuer',
    defaultValue: () => undefined,
    ...visibleText,
  },
  oidcOperators: {
    names: ['MAILPROOF_OIDC_OPERATORS'],
    meaning: 'people who sign in as the operator: email addresses verified by the provider, or subjects',
    defaultText: null,
    defaultValue: () => [],
    ...listOf('addresses such as jane@example.com, or sub:SUBJECT', parseOperator),
  },
};

function parseOperator(text: string): string | undefined {
  if (/^sub:[\x21-\x7e]{1,255}$/.test(text)) return text;
  return parseAddress(text).kind === 'invalid' ? undefined : text.toLowerCase();
}

/** Returns the first contradiction between settings, in one line for the operator. */
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
