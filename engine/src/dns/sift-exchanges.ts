/**
 * From the MX records of a domain to the names that may be asked about, in order of preference.
 *
 * Among equal preferences the names go by alphabet. RFC 5321 section 5.1 has senders shuffle them to
 * spread the load; a verifier sends a few commands, and gains from coming back to the same host: a
 * greylisting host has to meet us again, and the same domain gets the same evidence and the same
 * `mx_records` each time.
 */
import type { CanonicalHost } from '../syntax/address.ts';
import { canonicalMailHost } from '../syntax/canonical-host.ts';
import { isAscii } from '../syntax/is-ascii.ts';
import type { MxRecord } from './lookup.ts';

type SiftedExchanges = {
  names: CanonicalHost[];
  /** How many of the names have the best preference. */
  preferred: number;
  /** Some record was not looked at, or names a host we cannot ask about: that none resolves is no proof then. */
  incomplete: boolean;
};

export function siftExchanges(records: MxRecord[], mxRecords: number): SiftedExchanges {
  const sorted = records.map(withPlainName).sort(byPreferenceThenName);
  const names = new Set<CanonicalHost>();
  let incomplete = sorted.length > mxRecords;
  let best: number | undefined;
  let preferred = 0;
  for (const { preference, exchange } of sorted.slice(0, mxRecords)) {
    const host = usableHost(exchange);
    if (host !== undefined) {
      names.add(host);
      best ??= preference;
      if (preference === best) preferred = names.size;
    } else if (mayResolveElsewhere(exchange)) incomplete = true;
  }
  return { names: [...names], preferred, incomplete };
}

/** A lone record that names the root says "no mail here" (RFC 7505 section 3). */
export function isNullMx(records: MxRecord[]): boolean {
  const only = records.length === 1 ? records[0] : undefined;
  return only !== undefined && withPlainName(only).exchange === '';
}

/** Lower case and no trailing dot; the root becomes the empty name. A name beyond ASCII is left alone. */
function withPlainName({ preference, exchange }: MxRecord): MxRecord {
  return { preference, exchange: (isAscii(exchange) ? exchange.toLowerCase() : exchange).replace(/\.$/, '') };
}

function byPreferenceThenName(one: MxRecord, other: MxRecord): number {
  if (one.preference !== other.preference) return one.preference - other.preference;
  if (one.exchange === other.exchange) return 0;
  return one.exchange < other.exchange ? -1 : 1;
}

/** The name must be canonical as it stands: a name that would be mapped to another is not the one in the zone. */
function usableHost(exchange: string): CanonicalHost | undefined {
  const host = canonicalMailHost(exchange);
  return host === exchange && !exchange.endsWith('.localhost') ? host : undefined;
}

/**
 * Names with a stray hyphen are no host names (RFC 1123 section 2.1), yet zones hold them and some senders resolve them.
 * We do not ask about them, so we cannot say they lead nowhere. Anything else that is not canonical (an IP address, one
 * label, control characters) leads nowhere.
 */
function mayResolveElsewhere(exchange: string): boolean {
  const labels = exchange.split('.');
  const last = labels.at(-1) ?? '';
  return (
    labels.length > 1 &&
    labels.every((label) => /^[\w-]{1,63}$/.test(label)) &&
    !/^(?:\d+|localhost)$/.test(last)
  );
}
