import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBoundedCache } from '../bounded-cache.ts';
import { systemClock, type Clock } from '../clock.ts';
import type { Address } from '../syntax/address.ts';
import { allParents, registrableDomain, someOfFamily } from './domain-family.ts';
import { nearProvider } from './large-providers.ts';
import { isMachineAddress, plainMailbox, readRoleNames } from './mailbox-names.ts';
import { findDisorder, readNameSet } from './name-set.ts';
import { watchList, type OperatorList, type ListFile } from './operator-list.ts';

/** Findings of the lists about an address, before any server is asked. */
export type ListFindings = {
  disposable: boolean;
  role: boolean;
  free: boolean;
  spamtrap: boolean;
  /** The operator asked that this address or domain is never verified: no packet may go out. */
  denied: boolean;
  /** The large provider that the domain is one slip away from, unless it is well known itself. */
  nearProvider?: string;
  /** The domain's mail goes to a service that parks unused names. Known once DNS has told where it goes. */
  parked?: true;
  /**
   * The owner of the domain or of one of its mail hosts asked not to be asked. Known once DNS has told where mail
   * goes.
   */
  optedOut?: true;
  /** The domain belongs to a privacy relay, which forwards mail to a mailbox that its owner keeps private. */
  relay?: true;
  /** A role that gets no bulk mail: `abuse`, `noreply`, `everyone`. It is a `role` as well. */
  notForBulk?: true;
  /** The local part was made by a program for one message: BATV, SRS, VERP, `bounce+…`. */
  machine?: true;
};

export type ListLookup = {
  find(address: Address): ListFindings;
  /**
   * Whether one of a domain's mail hosts belongs to a disposable service (the operator's allow list applies to the
   * address).
   */
  isDisposableMailHost(mailHost: string, address: Address): boolean;
  /** Whether a mail host belongs to a service that parks domains. */
  isParkedMailHost(mailHost: string): boolean;
  /** Whether the owner of a domain, or of a parent of it, asked that its mail hosts are not asked. */
  hasOptedOut(host: string): boolean;
};

export type Lists = ListLookup & {
  /** The same by the entries for domains alone: findings are equal for every mailbox of a domain, roles aside. */
  byDomain: ListLookup;
  close(): void;
};

/**
 * The lists: those that come with the engine (`data/`, sources in `docs/lists.md`) and the five that an operator may
 * keep.
 *
 * The operator's word outranks ours: an allowed address or domain is never called disposable. A privacy relay is
 * called so only by the operator's own list. Neither outranks the operator's own deny list and spam traps.
 */
export type OperatorFiles = {
  spamtraps?: string | undefined;
  /** Throw-away domains beside the built-in ones. */
  disposable?: string | undefined;
  allow?: string | undefined;
  deny?: string | undefined;
  /** Domains whose owners asked that their mail hosts are not asked. The file may be missing until there are any. */
  optOut?: string | undefined;
};

export type ListSettings = {
  files: OperatorFiles;
  /** The folder of renewed copies of the built-in lists, if any; each is read in place of the built-in one. */
  renewedIn?: string | undefined;
  /** Whether the operator's files are read again once they change; they are unless this is false. */
  watch?: boolean;
  onProblem: (message: string) => void;
  clock?: Clock;
};

/** Loads the lists. Throws, naming file and line, if an operator's file cannot be used. */
export function createLists({
  files,
  renewedIn,
  watch = true,
  onProblem,
  clock = systemClock,
}: ListSettings): Lists {
  const read = (name: ListFileName) => readNameSet(checkedFile(name, renewedIn));
  const parts = { clock, watch, onProblem };
  const traps = watchList(listFile(files.spamtraps, 'spam-trap list', ['address', 'hash']), parts);
  const thrownAway = watchList(listFile(files.disposable, 'disposable list', ['domain']), parts);
  const allow = watchList(listFile(files.allow, 'allow list', ['address', 'domain']), parts);
  const deny = watchList(listFile(files.deny, 'deny list', ['address', 'domain', 'hash']), parts);
  const optOuts = watchList(optOutFile(files.optOut), parts);
  const disposable = read('disposable-domains.txt');
  const mailHosts = read('disposable-mail-hosts.txt');
  const parkedHosts = read('parked-mail-hosts.txt');
  const free = read('free-providers.txt');
  const relays = read('privacy-relays.txt');
  const readRoles = (name: ListFileName) => readRoleNames(findListFile(name, renewedIn).path);
  const roles = readRoles('role-names.txt');
  const rolesNotForBulk = readRoles('roles-not-for-bulk.txt');

  const known = rememberLast((host: string) => {
    const registrable = registrableDomain(host) ?? host;
    const isFree = free.has(host) || (registrable !== host && free.has(registrable));
    const isRelay = someOfFamily(host, registrable, relays.has);
    return {
      // A relay forwards mail to a reader, whatever a renewed list says.
      disposable: !isRelay && someOfFamily(host, registrable, disposable.has),
      relay: isRelay,
      free: isFree,
      near: isFree ? undefined : nearProvider(host),
    };
  });
  const knownHost = rememberLast((host: string) => {
    const registrable = registrableDomain(host) ?? host;
    return {
      disposable: someOfFamily(host, registrable, mailHosts.has),
      parked: someOfFamily(host, registrable, parkedHosts.has),
    };
  });
  const lookupBy = (isNamed: typeof names): ListLookup => ({
    find(address) {
      const listed = known(address.host);
      const isDisposable = listed.disposable || isNamed(thrownAway.current(), address);
      const found: ListFindings = {
        disposable: isDisposable && !isNamed(allow.current(), address),
        role: roles.has(address.localPart),
        free: listed.free,
        spamtrap: isNamed(traps.current(), address),
        denied: isNamed(deny.current(), address),
      };
      if (listed.near !== undefined) found.nearProvider = listed.near;
      if (listed.relay) found.relay = true;
      if (found.role && rolesNotForBulk.has(address.localPart)) found.notForBulk = true;
      if (isMachineAddress(address.localPart)) found.machine = true;
      return found;
    },
    isDisposableMailHost: (mailHost, address) =>
      knownHost(mailHost).disposable && !known(address.host).relay && !isNamed(allow.current(), address),
    isParkedMailHost: (mailHost) => knownHost(mailHost).parked,
    hasOptedOut: (host) => namesDomain(optOuts.current(), host),
  });
  return {
    ...lookupBy(names),
    byDomain: lookupBy((list, { host }) => namesDomain(list, host)),
    // Every file is opened, read and closed at once: nothing is held.
    close: () => undefined,
  };
}

/** Checks a renewed file, which may have been changed by hand: a file out of order cannot be searched. */
function checkedFile(name: ListFileName, renewedIn: string | undefined): string {
  const { path, renewed } = findListFile(name, renewedIn);
  const fault = renewed ? findDisorder(path) : undefined;
  if (fault === undefined) return path;
  throw new Error(
    `${path}, line ${fault}: names must be in byte order; mailproof domain-lists update renews it`,
  );
}

function listFile(path: string | undefined, title: string, takes: ListFile['takes']): ListFile | undefined {
  return path === undefined ? undefined : { path, title, takes };
}

function optOutFile(path: string | undefined): ListFile | undefined {
  return path === undefined
    ? undefined
    : { path, title: 'list of opt-outs', takes: ['domain'], isOptional: true };
}

/** Hosts to remember: the built-in lists do not change, and the addresses of a list come from few domains. */
const hostsRemembered = 10_000;

function rememberLast<Found>(find: (host: string) => Found): (host: string) => Found {
  const found = createBoundedCache<Found>({ maxEntries: hostsRemembered });
  // Several questions about one host come in a row.
  let last: { host: string; found: Found } | undefined;
  return (host) => {
    if (last?.host === host) return last.found;
    const known = found.peek(host);
    last = { host, found: known ?? find(host) };
    if (known === undefined) found.set(host, last.found);
    return last.found;
  };
}

/** Whether the list names this address: itself, its domain or any parent of it, or the hash of it. */
function names(list: OperatorList, address: Address): boolean {
  if (namesDomain(list, address.host)) return true;
  if (list.mailboxes.size + list.hashes.size === 0) return false;
  const mailbox = plainMailbox(address);
  return (
    list.mailboxes.has(mailbox) ||
    (list.hashes.size > 0 && list.hashes.has(createHash('sha256').update(mailbox).digest('hex')))
  );
}

function namesDomain({ domains }: OperatorList, host: string): boolean {
  return domains.size > 0 && allParents(host).some((name) => domains.has(name));
}

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

type ListFileName = (typeof listFileNames)[number];

/** Returns the place of a list: the operator's renewed copy if there is one, otherwise the built-in one. */
export function findListFile(
  name: ListFileName,
  renewedIn: string | undefined,
): { path: string; renewed: boolean } {
  const renewed = renewedIn === undefined ? undefined : join(renewedIn, name);
  if (renewed !== undefined && existsSync(renewed)) return { path: renewed, renewed: true };
  return { path: fileURLToPath(new URL(`data/${name}`, import.meta.url)), renewed: false };
}
