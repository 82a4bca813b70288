import { createAccount } from '../../src/core/keys/accounts/create-account.ts';
import type { Store } from '../../src/core/store/store.ts';
import type { WallClock } from '../../src/core/store/wall-clock.ts';
import type { Caller } from '../../src/core/keys/authenticate.ts';

/** An account with credits, and callers with its two kinds of key. */
export async function openAccount(
  parts: { store: Store; wallClock: WallClock },
  credits: number,
): Promise<{ accountId: string; live: Caller; test: Caller }> {
  const made = await createAccount(
    { name: 'tester', plan: 'paid', credits },
    { actor: 'command_line', ...parts },
  );
  const { accountId } = made;
  const caller = { accountId, keyId: 'key', plan: 'paid' as const };
  return { accountId, live: { ...caller, mode: 'live' }, test: { ...caller, mode: 'test' } };
}
