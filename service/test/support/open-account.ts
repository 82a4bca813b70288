import { createAccount } from '../../src/accounts/create-account.ts';
import type { Store } from '../../src/db/store.ts';
import type { WallClock } from '../../src/db/wall-clock.ts';
import type { Caller } from '../../src/keys/authenticate.ts';

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
