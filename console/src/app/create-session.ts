import type { Account, SessionPerson, SessionState as OpenSession } from '@mailproof/client';
import { type ReadonlySignal, signal } from '@preact/signals';
import { failureOf } from '../api/call.ts';
import type { Api } from '../api/create-api.ts';

/**
 * The session of the page. It starts `looking` for a session of the cookie. A key, the admin token or the provider
 * leads from `signed_out` to `account` or `operator`. Signing out, or the end of the session in the service, leads
 * back.
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
  /** Throws if the service refuses. */
  signIn(secret: string): Promise<void>;
  /** Throws if the service cannot be reached: the session would live on. */
  signOut(): Promise<void>;
  /** Reads the account again after spending; keeps the old one if that fails. */
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
        // An unknown session is already closed.
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
        // The session may have ended before the answer.
        const now = state.peek();
        if (now.kind === 'account') state.value = { ...now, account };
      } catch (error) {
        failureOf(error);
      }
    },
    ended() {
      // Requests in flight while the session closes are refused, which is expected.
      if ('csrfToken' in state.value && !isClosing) state.value = { kind: 'signed_out', hasEnded: true };
    },
  };
  return store;
}

function stateOf({ kind, csrf_token: csrfToken, account, person }: OpenSession): SessionState {
  if (kind === 'operator' || account === undefined) return { kind: 'operator', csrfToken };
  return { kind: 'account', csrfToken, account, person };
}
