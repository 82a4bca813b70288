import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The lists that come with the engine, each a file of that name. */
export const listFileNames = [
  'disposable-domains.txt',
  'disposable-mail-hosts.txt',
  'parked-mail-hosts.txt',
  'free-providers.txt',
  'privacy-relays.txt',
  'role-names.txt',
  'roles-not-for-bulk.txt',
] as const;

export type ListFileName = (typeof listFileNames)[number];

/** Where a list is read from: the operator's renewed copy where there is one, or else what came with the engine. */
export function findListFile(
  name: ListFileName,
  renewedIn: string | undefined,
): { path: string; renewed: boolean } {
  const renewed = renewedIn === undefined ? undefined : join(renewedIn, name);
  if (renewed !== undefined && existsSync(renewed)) return { path: renewed, renewed: true };
  return { path: fileURLToPath(new URL(`data/${name}`, import.meta.url)), renewed: false };
}
