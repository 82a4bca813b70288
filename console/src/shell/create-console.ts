import { createApi } from '../api/create-api.ts';
import { createConnection } from '../api/connection.ts';
import { createSession } from '../app/create-session.ts';
import { sendFile } from '../api/send-file.ts';
import { createUpload } from '../app/create-upload.ts';
import { randomKey } from '../parts/random-key.ts';
import { createAnnouncer } from '../app/announcer.ts';
import { basePath } from '../app/base-path.ts';
import { createRouter } from '../app/create-router.ts';
import { createTheme } from '../app/create-theme.ts';
import type { ConsoleParts } from '../app/use-console.ts';

export function createConsole(window: Window): ConsoleParts {
  const session = createSession(() => api);
  const connection = createConnection({
    fetch: (url, init) => globalThis.fetch(url, init),
    csrfToken: () => session.csrfToken(),
    onSessionEnded: () => session.ended(),
  });
  const api = createApi(`${window.location.origin}${basePath}`, connection);
  const announcer = createAnnouncer();
  const router = createRouter(window);
  const upload = createUpload({
    sendFile,
    csrfToken: () => session.csrfToken(),
    randomKey,
    wait: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    onSessionEnded: () => session.ended(),
    onList: ({ list_id: id, name }) => {
      announcer.say(`${name} was uploaded`);
      // Whoever has gone to another page meanwhile finds the new list among the others.
      if (router.route.peek().kind === 'lists') router.go(`/lists/${id}`);
    },
  });
  return { upload, api, connection, session, router, theme: createTheme(window), announcer };
}
