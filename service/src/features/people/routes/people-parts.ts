import type { AccountHttp } from '../../account/account-actions.ts';
import type { OidcProvider } from '../oidc/create-provider.ts';
import type { SealVisits } from '../oidc/provider-visit.ts';
import type { PeopleActions } from '../people-actions.ts';
import type { Sessions } from '../sessions/create-sessions.ts';

export type PeopleHttp = AccountHttp & {
  /** Sessions of signed-in browsers. */
  sessions: Sessions;
  people: PeopleActions;
  /** Whether a key or the admin token opens a session; by default it does. */
  keySignIn?: 'on' | 'off';
  /** Signing in with an OpenID provider, if one is set. */
  oidc?: OidcSignIn | undefined;
};

export type OidcSignIn = {
  provider: OidcProvider;
  seal: SealVisits;
  /** URL at which browsers reach the service, with the path prefix of a proxy. */
  publicUrl: string;
  operators: readonly string[];
  now: () => number;
};
