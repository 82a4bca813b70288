import { effect } from '@preact/signals';
import { createApi, type Api } from '../api/create-api.ts';
import { createConnection, type Connection } from '../api/connection.ts';
import { createSession, type SessionStore } from '../session/create-session.ts';
import { createListDesk, type ListDesk } from '../lists/create-list-desk.ts';
import { createListKeeper } from '../lists/list-keeper.ts';
import { nextFrame } from '../parts/next-frame.ts';
import { randomKey } from '../parts/random-key.ts';
import { createAnnouncer, type Announcer } from './announcer.ts';
import { createRouter, type Router } from './create-router.ts';
import { createTheme, type ThemeStore } from './create-theme.ts';
import { untilConnected } from './until-connected.ts';

/** The parts of the page that outlive any one view. */
export type Console = {
  api: Api;
  connection: Connection;
  session: SessionStore;
  router: Router;
  theme: ThemeStore;
  announcer: Announcer;
  lists: ListDesk;
};

export function createConsole(window: Window): Console {
  const session = createSession(() => api);
  const connection = createConnection({
    fetch: (url, init) => globalThis.fetch(url, init),
    csrfToken: () => session.csrfToken(),
    onSessionEnded: () => session.ended(),
  });
  const api = createApi(window.location.origin, connection);
  const announcer = createAnnouncer();
  const accountId = () => {
    const state = session.state.peek();
    return state.kind === 'account' ? state.account.account_id : undefined;
  };
  const lists = createListDesk({
    client: api.client,
    keeper: createListKeeper(window.indexedDB),
    accountId,
    pause: nextFrame,
    untilConnected: (signal) => untilConnected(window, signal),
    now: () => Date.now(),
    randomKey,
    onEnd: (state) => {
      announcer.say(state.kind === 'done' ? 'The list is checked' : 'The list is paused');
      void session.refresh();
    },
  });
  effect(() => {
    // A list that was left under way goes on as soon as its account is signed in again.
    const state = session.state.value;
    if (state.kind === 'account') void lists.recall(state.account.account_id);
  });
  return {
    lists,
    api,
    connection,
    session,
    router: createRouter(window),
    theme: createTheme(window),
    announcer,
  };
}
