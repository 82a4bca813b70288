import { readFileSync, statSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import { parseAddress } from '../syntax/parse-address.ts';
import { plainMailbox } from './mailbox-names.ts';

/**
 * A list an operator keeps: one entry a line, white space around it ignored, blank lines and lines that begin with
 * `#` skipped. An entry is an address, a domain (in Unicode or ASCII form) or the SHA-256 of an address, in
 * hexadecimal. So a list of people need not show their addresses.
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
  /** The line is told by its number and never by its words, which may be a person's address. */
  | { kind: 'bad_line'; line: number; why: string };

const emptyOperatorList: OperatorList = {
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

/**
 * An operator's file, read at the start and again once it has changed.
 *
 * There is no watcher: a use of the list looks at the file (one `stat`), at most once a second. That sees a file
 * replaced by rename, even on a network mount or inside a container, which lose change notices. It leaves no timer
 * behind. A file that goes bad while the service runs does not empty the list: the last good one stays in
 * force, and the operator is told once.
 */
type WatchedList = { current(): OperatorList };

export type ListFile = {
  path: string;
  title: string;
  takes: readonly OperatorEntry[];
  /** Whether a file that is not there is an empty list. */
  isOptional?: boolean;
};

type WatchListParts = { clock: Clock; watch: boolean; onProblem: (message: string) => void };

const LOOK_EVERY_MS = 1_000;
const MOST_BYTES = 64 * 1024 * 1024;

type FileReading = { stamp: string } & (
  { kind: 'good'; list: OperatorList } | { kind: 'bad'; problem: string }
);

/** Throws if the file cannot be read or holds a bad line: a service must not start on half a list. */
export function watchList(
  file: ListFile | undefined,
  { clock, watch, onProblem }: WatchListParts,
): WatchedList {
  if (file === undefined) return { current: () => emptyOperatorList };
  let last = read(file);
  if (last.kind === 'bad') throw new Error(last.problem);
  let { list } = last;
  let lookedAt = clock.now();

  return {
    current() {
      if (!watch || clock.now() - lookedAt < LOOK_EVERY_MS) return list;
      lookedAt = clock.now();
      if (stampOf(file.path) === last.stamp) return list;
      const told = last.kind === 'bad' ? last.problem : undefined;
      last = read(file);
      if (last.kind === 'good') list = last.list;
      else if (last.problem !== told) onProblem(`${last.problem}; the list read before stays in force`);
      return list;
    },
  };
}

/** Reads a file. The stamp is taken before the words, so that a change in between shows at the next look. */
function read(file: ListFile): FileReading {
  const stamp = stampOf(file.path);
  const bad = (why: string): FileReading => ({
    kind: 'bad',
    stamp,
    problem: `${file.title} ${file.path}${why}`,
  });
  try {
    if (statSync(file.path).size > MOST_BYTES) return bad(`: over ${MOST_BYTES} bytes`);
    const text = readFileSync(file.path, 'utf8');
    const found = readOperatorList(text, file.takes);
    return found.kind === 'read'
      ? { kind: 'good', stamp, list: found.list }
      : bad(`, line ${found.line}: ${found.why}`);
  } catch (error) {
    if (file.isOptional === true && codeOf(error) === 'ENOENT')
      return { kind: 'good', stamp, list: emptyOperatorList };
    return bad(`: cannot be read (${codeOf(error)})`);
  }
}

/**
 * Returns the stamp of a file. Inode and change time tell a replaced file from the old one even if size and
 * modification time agree. A file touched within the clock's last tick could change again under the same stamp, so
 * the stamp of a young file is never equal to a later one.
 */
function stampOf(path: string): string {
  try {
    const stats = statSync(path, { bigint: true });
    const age = Date.now() - Number(stats.ctimeMs);
    const settled = age >= SETTLED_AFTER_MS || age < 0 ? '' : `young ${age}`;
    return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs, settled].join(' ');
  } catch (error) {
    return codeOf(error);
  }
}

/** Coarser than the tick of any file system still in use (two seconds, FAT). */
const SETTLED_AFTER_MS = 2_000;

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return 'unknown error';
}
