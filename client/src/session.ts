import type { Account } from './account.ts';
import type { PersonRole } from './people.ts';

/** The body of `POST /session`: an API key, or the operator's token. */
export type SignIn = { key?: string; admin_token?: string };

/** Who is signed in. The session itself is a cookie that no script can read. */
export type SessionState = {
  kind: 'account' | 'operator';
  /** Goes into `X-CSRF-Token` of every request that changes something. */
  csrf_token: string;
  /** Of a key or a person only. */
  account?: Account;
  /** Where the OpenID provider vouched for somebody. */
  person?: SessionPerson;
};

export type SessionPerson = {
  person_id: string;
  email: string | null;
  name: string | null;
  role: PersonRole;
  /** Every account they are in, this one included. */
  accounts: { account_id: string; name: string }[];
};

/** The ways to sign in that there are. */
export type SignInOptions = {
  /** With an API key or the admin token. */
  key: boolean;
  /** With the OpenID provider, by the name that people know it by. */
  provider: { name: string } | null;
};

/** The body of `POST /session/provider`: what to accept, or which account to open, where there is a choice. */
export type ProviderSignIn = { invitation?: string; account_id?: string };

/** Where the browser has to go. */
export type ProviderRedirect = { url: string };
