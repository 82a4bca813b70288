import { readFileSync } from 'node:fs';
import type { Address } from '../syntax/address.ts';
import { isAscii, lowerCase } from '../syntax/characters.ts';
import { withoutNeedlessQuotes } from '../syntax/parse-address.ts';

/**
 * Returns an address in the form in which lists compare it: local part without needless quotes and without regard to
 * case, domain in its ASCII form.
 *
 * RFC 5321 section 2.4 lets a host tell `Ann` from `ann`, but hardly any does, and a capital letter must not be a
 * way round a list.
 */
export function plainMailbox(address: Address): string {
  return `${plainLocalPart(address.localPart)}@${address.host}`;
}

function plainLocalPart(localPart: string): string {
  const normal = isAscii(localPart) ? localPart : localPart.normalize('NFC');
  return lowerCase(withoutNeedlessQuotes(normal));
}

/**
 * Local parts that stand for a job and not for a person: the names of RFC 2142 and the ones in common use.
 *
 * The file writes a name of several words with hyphens. It is found with any of `-`, `.` and `_` between the words
 * and with nothing between them (`no-reply`, `no.reply`, `noreply`). A name is never cut at other places, so
 * `sal.es` is not `sales`.
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

/**
 * Returns the words of a local part. The text after a plus sign is the role's own filing (`support+eu`), not another
 * mailbox (RFC 5233).
 */
function wordsOf(localPart: string): string {
  const plain = plainLocalPart(localPart);
  const tag = plain.indexOf('+');
  return (tag < 0 ? plain : plain.slice(0, tag)).replaceAll(BETWEEN_WORDS, '-');
}

/**
 * Local parts that a program makes for one message or one recipient, to find its bounces again. A person reads none
 * of them, and most expire within days.
 */
const shapes: readonly RegExp[] = [
  // BATV (draft-levine-smtp-batv): a signed sender. Barracuda and Momentum write the other two.
  /^(?:prvs|btv1|msprvs1)=./,
  // SRS: a sender that a forwarder has rewritten.
  /^srs[01][=+-]./,
  // VERP: the recipient in the sender, its @ written as =.
  /[-+_].*=[^=]*[^=.]\.[a-z]{2,}$/,
  /^bounces?\+./,
  /^(?:bounces?|returns?)[-_=].*\d{3}/,
  // The return path of Amazon SES.
  /^[\da-f]{16}-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}-\d{6}$/,
];

/** A character that every shape has. */
const mark = /[-+=_]/;

export function isMachineAddress(localPart: string): boolean {
  if (!mark.test(localPart)) return false;
  const plain = plainLocalPart(localPart);
  return shapes.some((shape) => shape.test(plain));
}
