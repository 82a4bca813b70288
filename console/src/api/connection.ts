import { signal, type ReadonlySignal } from '@preact/signals';

/** How the last exchange with the service went: answered, turned away for now (503), or not at all. */
export type ConnectionState = 'fine' | 'busy' | 'lost';

export type Connection = {
  state: ReadonlySignal<ConnectionState>;
  /** `fetch` with the session's cookie and its token in place of a key. */
  fetch: (url: string, init: RequestInit) => Promise<Response>;
};

type ConnectionParts = {
  fetch: typeof fetch;
  csrfToken: () => string | undefined;
  /** The service no longer knows the session. */
  onSessionEnded: () => void;
};

/** The one way to the service: every request of the page passes here, so here is known how the connection is. */
export function createConnection({ fetch, csrfToken, onSessionEnded }: ConnectionParts): Connection {
  const state = signal<ConnectionState>('fine');
  return {
    state,
    async fetch(url, init) {
      try {
        const response = await fetch(url, { ...init, headers: headersFor(init, csrfToken()) });
        state.value = response.status === 503 ? 'busy' : 'fine';
        if (response.status === 401 && !url.endsWith('/session')) onSessionEnded();
        return response;
      } catch (error) {
        // An abort is the page's own doing and tells nothing of the connection, unless it was a deadline's.
        if (init.signal?.aborted !== true) state.value = 'lost';
        throw error;
      }
    },
  };
}

/** A request with a key would not be taken for one of the session, so the client's placeholder is left out. */
function headersFor(init: RequestInit, token: string | undefined): Headers {
  const headers = new Headers(init.headers);
  headers.delete('authorization');
  if (token !== undefined && init.method !== 'GET') headers.set('x-csrf-token', token);
  return headers;
}
