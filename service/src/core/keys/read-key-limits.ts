import { contractLimits, keyScopes, type KeyLimitsRequest } from '@mailproof/client';
import { parseCidr } from '@mailproof/engine';
import { mostCredits } from '../ledger/credits.ts';
import type { KeyLimits } from './key-limits.ts';

/** The limits in a request. Each limit is absent, null (no limit) or a value. */
export type LimitsWish = { [Limit in keyof KeyLimits]?: KeyLimits[Limit] };

/** Reads the limits of a request. Returns `undefined` if one of them is not valid. */
export function readKeyLimits(request: KeyLimitsRequest): LimitsWish | undefined {
  const wish: LimitsWish = {};
  const { scopes, expires_at: expires, allowed_ips: ips, credits_per_day: credits } = request;
  if (scopes !== undefined) {
    if (scopes !== null && (scopes.length === 0 || !scopes.every((scope) => keyScopes.includes(scope))))
      return undefined;
    // Each scope once, in the order of the documentation.
    wish.scopes = scopes && keyScopes.filter((scope) => scopes.includes(scope));
  }
  if (expires !== undefined) {
    const at = expires === null ? null : readTime(expires);
    if (at === undefined) return undefined;
    wish.expiresAt = at;
  }
  if (ips !== undefined) {
    const texts = ips && ips.map((text) => text.trim());
    if (
      texts !== null &&
      (texts.length === 0 || texts.length > contractLimits.keyAllowedIps || !texts.every(isBlock))
    )
      return undefined;
    wish.allowedIps = texts;
  }
  if (credits !== undefined) {
    if (credits !== null && !(Number.isSafeInteger(credits) && credits >= 1 && credits <= mostCredits))
      return undefined;
    wish.creditsPerDay = credits;
  }
  return wish;
}

/** A time of ISO 8601 with its zone, or a day, which begins in UTC. */
const timeShape = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

function readTime(text: string): number | undefined {
  const at = timeShape.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : at;
}

function isBlock(text: string): boolean {
  // Blocks are stored with spaces between them.
  return !/\s/.test(text) && parseCidr(text) !== undefined;
}

/** Tells whether a request changes anything. */
export function namesChange(name: string | undefined, limits: LimitsWish): boolean {
  return name !== undefined || Object.keys(limits).length > 0;
}

/** Tells whether an expiry is not in the future: such a key is a mistake. */
export function expiresTooEarly({ expiresAt }: LimitsWish, now: number): boolean {
  return (expiresAt ?? Infinity) <= now;
}
