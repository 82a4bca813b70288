import { effect } from '@preact/signals';
import { createApi } from '../api/create-api.ts';
import { createConnection } from '../api/connection.ts';
import { createSession } from '../app/create-session.ts';
import { createListController } from '../list-run/create-list-controller.ts';
import { createListStore } from '../list-run/list-store.ts';
import { nextFrame } from '../parts/next-frame.ts';
import { randomKey } from '../parts/random-key.ts';
import { createAnnouncer } from '../app/announcer.ts';
import { createRouter } from '../app/create-router.ts';
import { createTheme } from '../app/create-theme.ts';
import type { ConsoleParts } from '../app/use-console.ts';

const tryAgainMs = 3_000;

export function createConsole(window: Window): ConsoleParts {
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
  const lists = createListController({
    client: api.client,
    store: createListStore(window.indexedDB),
    accountId,
    pause: nextFrame,
    untilConnected: (signal) => untilConnected(window, signal),
    now: () => Date.now(),
    randomKey,
    onEnd: (state) => {
      announcer.say(state.kind === 'done' ? 'The list has been checked' : 'The list is paused');
      void session.refresh();
    },
  });
  effect(() => {
    // A list that was running resumes as soon as its account is signed in again.
    const state = session.state.value;
    if (state.kind === 'account') void lists.restore(state.account.account_id);
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

/** Resolves when the browser says that it is back on line, and after a few seconds in any case. */
function untilConnected(window: Window, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => () => {
      clearTimeout(timer);
      window.removeEventListener('online', goOn);
      signal.removeEventListener('abort', giveUp);
      settle();
    };
    const goOn = end(resolve);
    const giveUp = end(() => reject(new Error('stopped while waiting')));
    const timer = setTimeout(goOn, tryAgainMs);
    window.addEventListener('online', goOn);
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
  });
}
