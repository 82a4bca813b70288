import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { createBoundedCache } from './bounded-cache.ts';

/**
 * The local part of a made-up address: it looks like a person's, so that it tells no host who asks, and nobody has it.
 *
 * Made from a secret of the installation and the domain, so that it is the same each time (a host that greylists would
 * put each new one off for ever) and differs from that of every other installation. A syllable has 6 bits, so seven of
 * them and the digits leave less than one chance in 2^48 that somebody bears the name. The digits keep it from being a role.
 */
export function randomProbeNames(key: string): (domain: string) => string {
  const secret = createSecretKey(key, 'utf8');
  // A conversation needs the name of its domain more than once.
  const lately = createBoundedCache<string>({ maxEntries: 1_000 });
  return (domain) => {
    const known = lately.peek(domain);
    if (known !== undefined) return known;
    const name = makeName(secret, domain);
    lately.set(domain, name);
    return name;
  };
}

function makeName(key: KeyObject, domain: string): string {
  const bytes = createHmac('sha256', key).update(domain).digest();
  const given = syllables(bytes.subarray(0, 3));
  const family = syllables(bytes.subarray(3, 7));
  const number = 10 + (bytes.readUInt16BE(7) % 990);
  return `${given}${separators[(bytes[9] ?? 0) % separators.length] ?? ''}${family}${number}`;
}

const consonants = 'bdfghklmnprstvwz';
const vowels = 'aeio';
const separators = ['.', '.', '_', '-', ''];

function syllables(bytes: Buffer): string {
  let spoken = '';
  for (const byte of bytes) spoken += consonants.charAt(byte & 15) + vowels.charAt((byte >> 4) & 3);
  return spoken;
}
