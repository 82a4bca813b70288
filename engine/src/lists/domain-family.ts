import { getDomain, parse } from 'tldts';

/**
 * The place of a host name among public suffixes.
 *
 * Both sections of the Public Suffix List count: under `github.io` strangers register names just as they do under
 * `co.uk`, so one name says nothing of its neighbour.
 */
const SUFFIX_RULES = { allowPrivateDomains: true, extractHostname: false, validateHostname: false } as const;

/** The name itself, then each parent, the registrable domain last. A public suffix has no family but itself. */
export function domainFamily(host: string): string[] {
  const registrable = registrableDomain(host);
  if (registrable === undefined) return [host];
  return allParents(host).filter((name) => name.length >= registrable.length);
}

/** Whether a host or one of its parents passes, from the host itself up to the registered domain. */
export function someOfFamily(host: string, registrable: string, isSuch: (name: string) => boolean): boolean {
  let name = host;
  while (!isSuch(name)) {
    if (name.length <= registrable.length) return false;
    name = name.slice(name.indexOf('.') + 1);
  }
  return true;
}

/** Returns the registered domain that this host belongs to; nothing for a public suffix. */
export function registrableDomain(host: string): string | undefined {
  return getDomain(host, SUFFIX_RULES) ?? undefined;
}

/** Whether anybody may register names below this one. */
export function isPublicSuffix(host: string): boolean {
  return parse(host, SUFFIX_RULES).publicSuffix === host;
}

/** Whether the list has a rule for the end of this name; `hotmail.con` ends in nothing that exists. */
export function isKnownSuffix(host: string): boolean {
  const { isIcann, isPrivate } = parse(host, SUFFIX_RULES);
  return isIcann === true || isPrivate === true;
}

/** The name and every parent that has at least two labels: an operator may well mean a whole suffix. */
export function allParents(host: string): string[] {
  const labels = host.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}
