import type { Account } from './account.ts';

/** The body of `POST /session`: an API key, or the operator's token. */
export type SignIn = { key?: string; admin_token?: string };

/** Who is signed in. The session itself is a cookie that no script can read. */
export type SessionState = {
  kind: 'account' | 'operator';
  /** Goes into `X-CSRF-Token` of every request that changes something. */
  csrf_token: string;
  /** Of a key only. */
  account?: Account;
};
