/** Domains of the built-in lists, read from the lists themselves: the tests name no provider. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { standardLists, type WorldDescription } from '@mailproof/world';
import { root } from '../support/mailproof.ts';

function firstOf(list: string): string {
  const [first = ''] = readFileSync(join(root, 'engine/src/lists/data', list), 'utf8').split('\n', 1);
  return first;
}

export const disposableDomain = firstOf('disposable-domains.txt');
const disposableMailHost = `mx.${firstOf('disposable-mail-hosts.txt')}`;
export const freeDomain = firstOf('free-providers.txt');

/** Mail hosts for them on loopback. The disposable ones would answer if asked. */
export const listedPlaces: WorldDescription = {
  zones: {
    [disposableDomain]: { mx: [[10, 'mx.throwaway.test']] },
    'deep.throwaway.test': { mx: [[10, disposableMailHost]] },
    [freeDomain]: { mx: [[10, 'mx.free.test']] },
  },
  hosts: {
    'mx.throwaway.test': { mailboxes: { alive: 'exists' } },
    [disposableMailHost]: { mailboxes: { alive: 'exists' } },
    'mx.free.test': { mailboxes: { alive: 'exists' } },
  },
};

/** Writes the operator's list of traps, for `MAILPROOF_SPAMTRAPS_FILE`. */
export function writeTraps(file: string): string {
  writeFileSync(file, `${standardLists.spamTraps.join('\n')}\ntrap@nxdomain.test\n`);
  return file;
}
