import type { KeyScope } from '@mailproof/client';
import { isInBlocks, isWithinBlock, parseCidr, type Cidr } from '@mailproof/engine';

/** The limits of a key; null means no limit. A key whose limits are all null may do everything. */
export type KeyLimits = {
  scopes: readonly KeyScope[] | null;
  expiresAt: number | null;
  /** IP address blocks from which the key may be used, as they were written. */
  allowedIps: readonly string[] | null;
  creditsPerDay: number | null;
};

/**
 * The right that a route requires: a scope of keys, a part of a scope that a role may have alone, or `people`, for
 * unlimited callers only.
 */
export type Power = KeyScope | 'tasks:read' | 'lists:read' | 'people';

/** The limits of a caller: those of a key, or those of a role. */
export type CallerLimits = Omit<KeyLimits, 'scopes'> & { scopes: readonly Power[] | null };

export const noLimits: KeyLimits = { scopes: null, expiresAt: null, allowedIps: null, creditsPerDay: null };

/** The limits in the columns of `api_key`. */
export type LimitColumns = {
  scopes: string | null;
  expires_at: number | null;
  allowed_ips: string | null;
  credits_per_day: number | null;
};

export function limitsOf(row: LimitColumns): KeyLimits {
  return {
    // The cast holds: only `limitColumns` writes them, after a check against the known scopes.
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

/** Returns the scope that includes a right to read: a caller that may do a thing may also read it. */
function wholeOf(power: Power): Power {
  if (power === 'tasks:read') return 'tasks';
  return power === 'lists:read' ? 'lists' : power;
}

/** Tells whether a key may be used from the client's address, which is only determined for keys with limits. */
export function allowsClient(limits: CallerLimits | undefined, address: () => string): boolean {
  return limits === undefined || allowsAddress(limits, address());
}

/** Tells whether the address is in an allowed block; an unreadable address is in none. */
function allowsAddress({ allowedIps }: CallerLimits, address: string): boolean {
  return allowedIps === null || isInBlocks(blocksOf(allowedIps), address);
}

/**
 * Tells whether one key may do no more than another. A limited key thus cannot create a better one: with more
 * scopes, a longer life, or other addresses. Several capped keys would add up to more than the one cap, so no key
 * is within a capped one.
 */
export function isWithin(inner: KeyLimits, outer: CallerLimits): boolean {
  return isNoWider(inner, outer) && outer.creditsPerDay === null;
}

/** Tells whether one key may change or delete another: the other may not be stronger in any way. */
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
