import { readFileSync } from 'node:fs';
import { plainLocalPart } from './plain-mailbox.ts';

/**
 * Local parts that stand for a job and not for a person: those of RFC 2142 and the ones in common use.
 *
 * The file writes a name of several words with hyphens. It is found with any of `-`, `.` and `_` between
 * the words and with nothing between them (`no-reply`, `no.reply`, `noreply`), and nowhere else: a name is
 * never cut at other places, so `sal.es` is not `sales`.
 */
type RoleNames = { has: (localPart: string) => boolean };

export function readRoleNames(path: string | URL): RoleNames {
  const names = new Set<string>();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue;
    names.add(line);
    names.add(line.replaceAll('-', ''));
  }
  return { has: (localPart) => names.has(wordsOf(localPart)) };
}

const BETWEEN_WORDS = /[._]/g;

/** What follows a plus sign is the role's own filing (`support+eu`), not another mailbox (RFC 5233). */
function wordsOf(localPart: string): string {
  const plain = plainLocalPart(localPart);
  const tag = plain.indexOf('+');
  return (tag < 0 ? plain : plain.slice(0, tag)).replaceAll(BETWEEN_WORDS, '-');
}
