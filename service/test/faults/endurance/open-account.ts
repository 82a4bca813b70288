import type { Home } from './launch.ts';
import { runCommand } from './run-command.ts';

/** An account with its keys, made on the command line. */
export type OpenedAccount = { accountId: string; liveKey: string; testKey: string };

export async function openAccount(
  home: Home,
  { name, credits = 0, plan = 'paid' }: { name: string; credits?: number; plan?: 'paid' | 'none' },
): Promise<OpenedAccount> {
  const made = await runCommand(
    ['accounts', 'create', '--name', name, '--plan', plan, '--credits', String(credits)],
    home,
  );
  const accountId = String(made['account_id']);
  const keys = ['--live', '--test'].map(async (mode) => {
    const key = await runCommand(['keys', 'create', accountId, ...(mode === '--test' ? [mode] : [])], home);
    return String(key['api_key']);
  });
  const [liveKey = '', testKey = ''] = await Promise.all(keys);
  return { accountId, liveKey, testKey };
}
