/** The beginning of the page: makes its parts, connects them and draws. */
import { effect } from '@preact/signals';
import { render } from 'preact';
import { randomKey } from './api/call.ts';
import { createApi, createConnection } from './api/create-api.ts';
import { basePath } from './app/base-path.ts';
import { createRouter } from './app/create-router.ts';
import { createSession } from './app/create-session.ts';
import { featuresSelector, readFeatures } from './app/features.ts';
import { ConsoleContext, type ConsoleParts, createAnnouncer, createTheme } from './app/use-console.ts';
import { createUpload, sendFile, type Upload, UploadContext } from './features/lists/upload.ts';
import { App } from './shell/app.tsx';

const place = document.getElementById('app');
if (place === null) throw new Error('index.html has no #app');
const parts = createConsole(window);
render(
  <ConsoleContext.Provider value={parts}>
    <UploadContext.Provider value={createListUpload(parts)}>
      <App />
    </UploadContext.Provider>
  </ConsoleContext.Provider>,
  place,
);
void parts.session.find();

function createConsole(window: Window): ConsoleParts {
  const session = createSession(() => api);
  const connection = createConnection({
    fetch: (url, init) => globalThis.fetch(url, init),
    csrfToken: () => session.csrfToken(),
    onSessionEnded: () => session.ended(),
  });
  const api = createApi(`${window.location.origin}${basePath}`, connection);
  return {
    api,
    connection,
    session,
    features: readFeatures(window.document.querySelector(featuresSelector)?.getAttribute('content')),
    router: createRouter(window),
    theme: createTheme(window),
    announcer: createAnnouncer(),
  };
}

/** Creates the upload, which continues while other pages are shown and stops when the person signs out. */
function createListUpload({ session, announcer, router }: ConsoleParts): Upload {
  const upload = createUpload({
    sendFile,
    csrfToken: () => session.csrfToken(),
    randomKey,
    wait: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    onSessionEnded: () => session.ended(),
    onList: ({ list_id: id, name }) => {
      announcer.say(`${name} was uploaded`);
      // On any other page the new list is not opened: it is among the others.
      if (router.route.peek().kind === 'lists') router.go(`/lists/${id}`);
    },
  });
  effect(() => {
    const state = session.state.value;
    if (state.kind === 'signed_out' && !state.hasEnded) upload.stop();
  });
  return upload;
}
