import type { FormCheckResult } from '@mailproof/client';
import type { Clock, Engine } from '@mailproof/engine';
import { withFreshDeadlines } from '../../core/store/with-fresh-deadlines.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { actorOf, type Caller } from '../../core/keys/authenticate.ts';
import { repeat } from '../../core/process/repeat.ts';
import { checkAddress } from './check-address.ts';
import { createFindFormKey, type FoundFormKey } from './find-form-key.ts';
import {
  createFormKey,
  deleteFormKey,
  listFormKeys,
  type FormKey,
  type FormKeyRequest,
} from './form-keys.ts';
import { createFormUses } from './form-uses.ts';

/** The guard of sign-up forms: what holders of publishable keys may ask, and how accounts manage these. */
export type FormActions = {
  findKey(key: string): Promise<FoundFormKey | undefined>;
  check(request: { key: FoundFormKey; visitor: string; email: string }): Promise<CheckAnswer>;
  keys(caller: Caller): Promise<FormKey[]>;
  createKey(caller: Caller, key: Omit<FormKeyRequest, 'accountId'>): Promise<CreateAnswer>;
  deleteKey(caller: Caller, key: string): Promise<DeleteAnswer>;
};

/** Its routes need it. */
export type FormHttp = { forms: FormActions };

type CheckAnswer =
  { kind: 'checked'; answer: FormCheckResult } | { kind: 'too_many_checks'; retryAfterSeconds: number };
type CreateAnswer =
  Awaited<ReturnType<typeof createFormKey>> | { kind: 'live_key_required' | 'insufficient_scope' };
type DeleteAnswer = Awaited<ReturnType<typeof deleteFormKey>> | { kind: 'live_key_required' };

type FormActionsParts = {
  store: Store;
  engine: Pick<Engine, 'lookUp'>;
  clock: Clock;
  wallClock: WallClock;
  onProblem(message: string, error: unknown): void;
};

/** A publishable key never expires and works from any network, so a key that is bound to either makes none. */
function mayOutlive({ limits }: Caller): boolean {
  return limits === undefined || (limits.expiresAt === null && limits.allowedIps === null);
}

const writeUsesEveryMs = 1_000;

/** `stop` saves the last counts. */
export function startForms(parts: FormActionsParts): FormActions & { stop(): Promise<void> } {
  const { store, clock, wallClock } = parts;
  const uses = createFormUses(parts);
  const writing = repeat(() => uses.write(), { ...parts, everyMs: writeUsesEveryMs });
  const inTime = () => ({ store: store.withRequestDeadline('work'), wallClock });
  return {
    findKey: createFindFormKey({ store: withFreshDeadlines(store, 'key'), clock, wallClock }),
    async check({ key, visitor, email }) {
      if (uses.take({ ...key, visitor }) !== 'taken')
        return { kind: 'too_many_checks', retryAfterSeconds: uses.secondsLeft() };
      return { kind: 'checked', answer: await checkAddress(email, parts) };
    },
    // Publishable keys belong to live mode: only live keys make them.
    keys: async ({ accountId, mode }) => (mode === 'live' ? listFormKeys(accountId, inTime()) : []),
    createKey: async (caller, key) => {
      if (caller.mode === 'test') return { kind: 'live_key_required' };
      if (!mayOutlive(caller)) return { kind: 'insufficient_scope' };
      return createFormKey({ ...key, accountId: caller.accountId }, { ...inTime(), actor: actorOf(caller) });
    },
    deleteKey: async (caller, key) =>
      caller.mode === 'live'
        ? deleteFormKey({ key, accountId: caller.accountId }, { ...inTime(), actor: actorOf(caller) })
        : { kind: 'live_key_required' },
    async stop() {
      await writing.stop();
      // A failing store must not hold up the shutdown.
      await uses
        .write()
        .catch((error: unknown) => parts.onProblem('the last form checks could not be counted', error));
    },
  };
}
