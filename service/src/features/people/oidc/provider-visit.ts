import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * A browser's visit to the provider: the values that were sent and must come back. The browser keeps it in a cookie
 * that only we can have written. So beginning a sign-in costs the service nothing. And an attacker cannot finish their
 * own sign-in in another person's browser.
 */
export type ProviderVisit = {
  /** Comes back with the browser (RFC 6749 section 10.12). */
  state: string;
  /** Comes back in the ID token (OpenID Connect Core 1.0 section 3.1.2.1). */
  nonce: string;
  /** Proves to the provider that the client with the code is the one that asked for it (RFC 7636). */
  verifier: string;
  startedAt: number;
  /** The invitation to accept and the account to open, if the request named them. */
  invitation?: string;
  accountId?: string;
};

/** Long enough to find a password; a longer visit has to begin again. */
export const visitLifeMs = 600_000;

/** Longer than any seal that we write. */
const longestSeal = 2_000;

export type SealVisits = {
  seal(visit: ProviderVisit): string;
  /** Returns `undefined` if the text was not written by us, or the visit is over. */
  open(text: string, now: number): ProviderVisit | undefined;
};

export function beginVisit(now: number, wanted: Pick<ProviderVisit, 'invitation' | 'accountId'>) {
  const random = () => randomBytes(32).toString('base64url');
  return { ...wanted, state: random(), nonce: random(), verifier: random(), startedAt: now };
}

/**
 * Creates a seal from the client secret, which every process of the installation has, and only the provider beside
 * them.
 */
export function createSeal(clientSecret: string): SealVisits {
  const key = createHash('sha256').update(`mailproof provider visit\0${clientSecret}`).digest();
  const markOf = (text: string) => createHmac('sha256', key).update(text).digest();
  return {
    seal: (visit) => {
      const text = Buffer.from(JSON.stringify(visit)).toString('base64url');
      return `${text}.${markOf(text).toString('base64url')}`;
    },
    open: (sealed, now) => {
      const [text = '', mark = ''] = sealed.length > longestSeal ? [] : sealed.split('.', 2);
      const [given, expected] = [Buffer.from(mark, 'base64url'), markOf(text)];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      // Only `seal` writes text with a valid MAC.
      const visit = JSON.parse(Buffer.from(text, 'base64url').toString()) as ProviderVisit;
      return now < visit.startedAt + visitLifeMs ? visit : undefined;
    },
  };
}
