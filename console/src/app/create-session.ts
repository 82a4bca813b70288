import { signal, type ReadonlySignal } from '@preact/signals';
import type { Account, SessionPerson, SessionState as OpenSession } from '@mailproof/client';
import type { Api } from '../api/create-api.ts';
import { failureOf } from '../api/failure.ts';

/**
 * Who uses the page. It starts `looking` for a session that the cookie still knows; from `signed_out` one gets to
 * `account` or `operator` by a key, the admin token or the provider, and back by signing out or when the service ends the session.
 */
export type SessionState =
  | { kind: 'looking' }
  | { kind: 'unreachable' }
  | { kind: 'signed_out'; hasEnded: boolean }
  | { kind: 'account'; csrfToken: string; account: Account; person: SessionPerson | undefined }
  | { kind: 'operator'; csrfToken: string };

export type SessionStore = {
  state: ReadonlySignal<SessionState>;
  csrfToken(): string | undefined;
  find(): Promise<void>;
  /** Throws where the service refuses. */
  signIn(secret: string): Promise<void>;
  /** Throws where the service cannot be told: the session would live on. */
  signOut(): Promise<void>;
  /** Reads the account anew, after something was spent; keeps what it knows where that fails. */
  refresh(): Promise<void>;
  ended(): void;
};

const lookAgainMs = 3_000;

export function createSession(api: () => Api): SessionStore {
  const state = signal<SessionState>({ kind: 'looking' });
  let isClosing = false;
  const enter = (session: OpenSession) => {
    state.value = stateOf(session);
  };
  const store: SessionStore = {
    state,
    csrfToken: () => ('csrfToken' in state.value ? state.value.csrfToken : undefined),
    async find() {
      try {
        enter(await api().session.find());
      } catch (error) {
        const { status } = failureOf(error);
        if (status !== undefined && status < 500) {
          state.value = { kind: 'signed_out', hasEnded: false };
          return;
        }
        state.value = { kind: 'unreachable' };
        setTimeout(() => void store.find(), lookAgainMs);
      }
    },
    async signIn(secret) {
      const text = secret.trim();
      enter(await api().session.open(text.startsWith('mp_') ? { key: text } : { admin_token: text }));
    },
    async signOut() {
      isClosing = true;
      try {
        await api().session.close();
      } catch (error) {
        // A session that is not known any more is what was wanted.
        if (failureOf(error).status !== 401) throw error;
      } finally {
        isClosing = false;
      }
      state.value = { kind: 'signed_out', hasEnded: false };
    },
    async refresh() {
      if (state.peek().kind !== 'account') return;
      try {
        const account = await api().client.account();
        // The session may have ended while the answer was on its way.
        const now = state.peek();
        if (now.kind === 'account') state.value = { ...now, account };
      } catch (error) {
        failureOf(error);
      }
    },
    ended() {
      // What was being read while the session was closed is refused, and that is no news.
      if ('csrfToken' in state.value && !isClosing) state.value = { kind: 'signed_out', hasEnded: true };
    },
  };
  return store;
}

function stateOf({ kind, csrf_token: csrfToken, account, person }: OpenSession): SessionState {
  if (kind === 'operator' || account === undefined) return { kind: 'operator', csrfToken };
  return { kind: 'account', csrfToken, account, person };
}
