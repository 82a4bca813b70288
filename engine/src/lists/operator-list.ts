import { canonicalHost } from '../syntax/canonical-host.ts';
import { parseAddress } from '../syntax/parse-address.ts';
import { plainMailbox } from './plain-mailbox.ts';

/**
 * A list an operator keeps: one entry a line, white space around it ignored, blank lines and lines that
 * begin with `#` skipped. An entry is an address, a domain (in Unicode or ASCII form) or the SHA-256 of an
 * address, in hexadecimal, so that a list of people need not be a list of people.
 */
export type OperatorList = {
  mailboxes: ReadonlySet<string>;
  domains: ReadonlySet<string>;
  /** Lower-case hexadecimal SHA-256 of `local@host` in lower case. */
  hashes: ReadonlySet<string>;
};

export type OperatorEntry = 'address' | 'domain' | 'hash';

type ReadOperatorList =
  | { kind: 'read'; list: OperatorList }
  /** The line is told by its number and never by its words: it may be somebody's address. */
  | { kind: 'bad_line'; line: number; why: string };

export const emptyOperatorList: OperatorList = {
  mailboxes: new Set(),
  domains: new Set(),
  hashes: new Set(),
};

export function readOperatorList(text: string, allowed: readonly OperatorEntry[]): ReadOperatorList {
  const sets = { address: new Set<string>(), domain: new Set<string>(), hash: new Set<string>() };
  for (const [index, line] of text
    .replace(/^\ufeff/u, '')
    .split('\n')
    .entries()) {
    const written = line.trim();
    if (written === '' || written.startsWith('#')) continue;
    const entry = readEntry(written);
    if (entry === undefined)
      return badLine(index, `is ${nameAll(['address', 'domain', 'hash'], 'neither', 'nor')}`);
    if (!allowed.includes(entry.kind)) {
      return badLine(index, `holds ${name(entry.kind)}, and this list takes ${nameAll(allowed, '', 'or')}`);
    }
    sets[entry.kind].add(entry.value);
  }
  return { kind: 'read', list: { mailboxes: sets.address, domains: sets.domain, hashes: sets.hash } };
}

function readEntry(written: string): { kind: OperatorEntry; value: string } | undefined {
  if (SHA256.test(written)) return { kind: 'hash', value: written.toLowerCase() };
  if (written.includes('@')) {
    const parsed = parseAddress(written);
    return parsed.kind === 'valid' ? { kind: 'address', value: plainMailbox(parsed.address) } : undefined;
  }
  const host = canonicalHost(written);
  return host === undefined ? undefined : { kind: 'domain', value: host };
}

const SHA256 = /^[0-9a-f]{64}$/i;

function badLine(index: number, why: string): ReadOperatorList {
  return { kind: 'bad_line', line: index + 1, why };
}

function name(entry: OperatorEntry): string {
  switch (entry) {
    case 'address':
      return 'an address';
    case 'domain':
      return 'a domain';
    case 'hash':
      return 'a SHA-256 in hexadecimal';
  }
}

function nameAll(entries: readonly OperatorEntry[], before: string, between: string): string {
  return `${before} ${entries.map(name).join(` ${between} `)}`.trim();
}
