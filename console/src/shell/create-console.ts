import { createApi, type Api } from '../api/create-api.ts';
import { createConnection, type Connection } from '../api/connection.ts';
import { createSession, type SessionStore } from '../session/create-session.ts';
import { createAnnouncer, type Announcer } from './announcer.ts';
import { createRouter, type Router } from './create-router.ts';
import { createTheme, type ThemeStore } from './create-theme.ts';

/** The parts of the page that outlive any one view. */
export type Console = {
  api: Api;
  connection: Connection;
  session: SessionStore;
  router: Router;
  theme: ThemeStore;
  announcer: Announcer;
};

export function createConsole(window: Window): Console {
  const session = createSession(() => api);
  const connection = createConnection({
    fetch: (url, init) => globalThis.fetch(url, init),
    csrfToken: () => session.csrfToken(),
    onSessionEnded: () => session.ended(),
  });
  const api = createApi(window.location.origin, connection);
  return {
    api,
    connection,
    session,
    router: createRouter(window),
    theme: createTheme(window),
    announcer: createAnnouncer(),
  };
}
