import { contractLimits, keyScopes, type KeyLimitsRequest } from '@mailproof/client';
import { parseCidr } from '@mailproof/engine';
import { mostCredits } from '../ledger/credits.ts';
import type { KeyLimits } from './key-limits.ts';

/** What a client or the command line asks for: of each limit nothing, none (null), or a value. */
export type LimitsWish = { [Limit in keyof KeyLimits]?: KeyLimits[Limit] };

/** `undefined` where a limit cannot be meant as it is written. */
export function readKeyLimits(request: KeyLimitsRequest): LimitsWish | undefined {
  const wish: LimitsWish = {};
  const { scopes, expires_at: expires, allowed_ips: ips, credits_per_day: credits } = request;
  if (scopes !== undefined) {
    if (scopes !== null && (scopes.length === 0 || !scopes.every((scope) => keyScopes.includes(scope))))
      return undefined;
    // In the order in which they are documented, each once.
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
  // Stored with spaces between them.
  return !/\s/.test(text) && parseCidr(text) !== undefined;
}

/** Whether a change changes anything. */
export function namesChange(name: string | undefined, limits: LimitsWish): boolean {
  return name !== undefined || Object.keys(limits).length > 0;
}

/** A key that has expired before it is used is a slip. */
export function expiresTooEarly({ expiresAt }: LimitsWish, now: number): boolean {
  return (expiresAt ?? Infinity) <= now;
}
