import type { KeyScope } from '@mailproof/client';
import { isInBlocks, isWithinBlock, parseCidr, type Cidr } from '@mailproof/engine';

/** What a key is limited to; null where it is not. A key whose limits are all null may do everything. */
export type KeyLimits = {
  scopes: readonly KeyScope[] | null;
  expiresAt: number | null;
  /** Blocks of IP addresses that it may be used from, as they were written. */
  allowedIps: readonly string[] | null;
  creditsPerDay: number | null;
};

/**
 * What a route asks for: a scope of keys, a part of one that a role may have alone, or what only those have who are not
 * limited at all.
 */
export type Power = KeyScope | 'tasks:read' | 'lists:read' | 'people';

/** The limits of whoever calls: those of a key, or those that a role comes to. */
export type CallerLimits = Omit<KeyLimits, 'scopes'> & { scopes: readonly Power[] | null };

export const noLimits: KeyLimits = { scopes: null, expiresAt: null, allowedIps: null, creditsPerDay: null };

/** As the columns of `api_key` have them. */
export type LimitColumns = {
  scopes: string | null;
  expires_at: number | null;
  allowed_ips: string | null;
  credits_per_day: number | null;
};

export function limitsOf(row: LimitColumns): KeyLimits {
  return {
    // Only `limitColumns` writes them, from what was checked against the scopes that there are.
    scopes: row.scopes === null ? null : (row.scopes.split(' ') as KeyScope[]),
    expiresAt: row.expires_at,
    allowedIps: row.allowed_ips === null ? null : row.allowed_ips.split(' '),
    creditsPerDay: row.credits_per_day,
  };
}

export function limitColumns({ scopes, expiresAt, allowedIps, creditsPerDay }: KeyLimits): LimitColumns {
  return {
    scopes: scopes?.join(' ') ?? null,
    expires_at: expiresAt,
    allowed_ips: allowedIps?.join(' ') ?? null,
    credits_per_day: creditsPerDay,
  };
}

export function isLimited(limits: KeyLimits): boolean {
  return Object.values(limits).some((limit) => limit !== null);
}

export function allowsPower({ scopes }: Pick<CallerLimits, 'scopes'>, power: Power): boolean {
  return scopes === null || scopes.includes(power) || scopes.includes(wholeOf(power));
}

/** Whoever may do a thing may look at it. */
function wholeOf(power: Power): Power {
  if (power === 'tasks:read') return 'tasks';
  return power === 'lists:read' ? 'lists' : power;
}

/** Whether a key may be used from where the client is, which is only found out for a key that has limits. */
export function allowsClient(limits: CallerLimits | undefined, address: () => string): boolean {
  return limits === undefined || allowsAddress(limits, address());
}

/** An address that cannot be read is in no block. */
function allowsAddress({ allowedIps }: CallerLimits, address: string): boolean {
  return allowedIps === null || isInBlocks(blocksOf(allowedIps), address);
}

/**
 * Whether one key may do no more than another. So a limited key cannot make itself a better one: with more scopes, for
 * longer, or from elsewhere. Keys with a cap each would add up to more than the one cap, so none is within it.
 */
export function isWithin(inner: KeyLimits, outer: CallerLimits): boolean {
  return isNoWider(inner, outer) && outer.creditsPerDay === null;
}

/** Whether one key may change or delete another: no key that is stronger than itself in any way. */
export function isNoStronger(inner: KeyLimits, outer: CallerLimits): boolean {
  return isNoWider(inner, outer) && (inner.creditsPerDay ?? Infinity) <= (outer.creditsPerDay ?? Infinity);
}

function isNoWider(inner: KeyLimits, outer: CallerLimits): boolean {
  return (
    hasNoMoreScopes(inner, outer) &&
    (inner.expiresAt ?? Infinity) <= (outer.expiresAt ?? Infinity) &&
    (outer.allowedIps === null || areBlocksWithin(inner.allowedIps, outer.allowedIps))
  );
}

function hasNoMoreScopes(inner: KeyLimits, outer: CallerLimits): boolean {
  return outer.scopes === null || (inner.scopes?.every((scope) => allowsPower(outer, scope)) ?? false);
}

function areBlocksWithin(inner: readonly string[] | null, outer: readonly string[]): boolean {
  if (inner === null) return false;
  const around = blocksOf(outer);
  return blocksOf(inner).every((block) => around.some((wide) => isWithinBlock(block, wide)));
}

function blocksOf(texts: readonly string[]): Cidr[] {
  return texts.map(parseCidr).filter((block) => block !== undefined);
}
