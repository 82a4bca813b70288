import type { FeatureHttp } from '../../../core/http/routes/http-parts.ts';
import type { OperatorHttp } from '../../operator/operator-actions.ts';
import { sessionCookieName } from '../sessions/session-cookie.ts';
import { addAdminAccountPeople } from './admin-people.ts';
import type { PeopleHttp } from './people-parts.ts';
import { isPeopleUrl } from './people-paths.ts';
import { addPeople } from './people.ts';
import { addProviderSignIn } from './provider-sign-in.ts';
import { addSession } from './session.ts';

export const peopleHttp = (own: PeopleHttp & Partial<OperatorHttp>): FeatureHttp => ({
  tags: [
    {
      name: 'People',
      description: 'Who signs in to the account with an OpenID provider; only where one is set',
    },
    { name: 'Session', description: 'For browsers: a cookie in place of a key' },
  ],
  securitySchemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieName,
      description:
        'For browsers: the cookie that `POST /session` sets. Every method but GET and HEAD needs the `X-CSRF-Token` too',
    },
  },
  hides: (url) => own.oidc === undefined && isPeopleUrl(url),
  addRoutes: (server, { parts, ...rest }) => {
    const routeParts = { ...rest, parts: { ...parts, ...own } };
    addSession(server, routeParts);
    addProviderSignIn(server, routeParts);
    addPeople(server, routeParts);
    const { operator, people, oidc } = own;
    if (operator === undefined) return;
    const publicUrl = oidc?.publicUrl ?? '';
    addAdminAccountPeople(server, { operator, people, publicUrl, onRequest: rest.operatorChecks });
  },
});
