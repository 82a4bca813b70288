import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * A browser's visit to the provider: what was sent along and has to come back. It is kept by the browser itself, in a
 * cookie that only we can have written, so that whoever begins to sign in costs the service nothing, and so that nobody
 * can have his own sign-in finished in the browser of another.
 */
export type ProviderVisit = {
  /** Comes back with the browser (RFC 6749 section 10.12). */
  state: string;
  /** Comes back in the ID token (OpenID Connect Core 1.0 section 3.1.2.1). */
  nonce: string;
  /** Proves to the provider that whoever brings the code is whoever asked for it (RFC 7636). */
  verifier: string;
  startedAt: number;
  /** The invitation that is to be accepted, and the account that is to be opened, where one was named. */
  invitation?: string;
  accountId?: string;
};

/** Long enough to find one's password; a visit that takes longer begins anew. */
export const visitLifeMs = 600_000;

/** More than the longest that we write. */
const longestSeal = 2_000;

export type SealVisits = {
  seal(visit: ProviderVisit): string;
  /** Nothing where it was not written by us, or is over. */
  open(text: string, now: number): ProviderVisit | undefined;
};

export function beginVisit(now: number, wanted: Pick<ProviderVisit, 'invitation' | 'accountId'>) {
  const random = () => randomBytes(32).toString('base64url');
  return { ...wanted, state: random(), nonce: random(), verifier: random(), startedAt: now };
}

/** Every process of an installation has the same client secret, and nobody else has it but the provider. */
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
      // Only `seal` writes what bears the mark.
      const visit = JSON.parse(Buffer.from(text, 'base64url').toString()) as ProviderVisit;
      return now < visit.startedAt + visitLifeMs ? visit : undefined;
    },
  };
}
