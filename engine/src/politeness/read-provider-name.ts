import { isPublicSuffix } from '../lists/domain-family.ts';
import { nearestName } from '../nearest-name.ts';
import { providerNamed, providerTable } from '../replies/providers.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import { groupOf } from './group-of.ts';

type ReadProviderName = { kind: 'read'; name: string } | { kind: 'bad'; why: string };

/**
 * Reads the name under which the providers file speaks of mail hosts: a provider of the table, a group, or a suffix
 * that begins with a dot. A name that no host is counted under would do nothing, and the operator would believe a
 * host skipped that is not. So it is refused with the name that would work.
 */
export function readProviderName(written: string): ReadProviderName {
  if (written.startsWith('.')) return readSuffix(written);
  return written.includes('.') ? readGroup(written) : readProvider(written);
}

/** Reads a suffix. It may be a single label, which a host may not; one more in front makes a host of any suffix. */
function readSuffix(written: string): ReadProviderName {
  const host = canonicalHost(`mx${written}`);
  return host === undefined ? bad('which is not a suffix of a host name') : read(host.slice('mx'.length));
}

function readGroup(written: string): ReadProviderName {
  const host = canonicalHost(written);
  if (host === undefined) return bad('which is not a host name');
  if (isPublicSuffix(host)) return bad(`which is not a group; for all hosts below it write ".${host}"`);
  const group = groupOf(host);
  if (group === host) return read(host);
  return bad(
    `whose hosts are counted under "${group}"; write that, or ".${host}" for only the hosts with that name`,
  );
}

function readProvider(written: string): ReadProviderName {
  const name = written.trim().toLowerCase();
  const ids: readonly string[] = providerTable.map(({ id }) => id);
  if (ids.includes(name)) return read(name);
  const meant = providerNamed(name) ?? nearestName(name.slice(0, 80), ids);
  const hint =
    meant === undefined
      ? 'docs/providers.md lists them, and a suffix of mail hosts begins with a dot'
      : `did you mean "${meant}"?`;
  return bad(`which is not a known provider; ${hint}`);
}

function read(name: string): ReadProviderName {
  return { kind: 'read', name };
}

function bad(why: string): ReadProviderName {
  return { kind: 'bad', why };
}
