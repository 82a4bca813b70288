import { hash } from 'node:crypto';

/**
 * The local part of a made-up address: it looks like a person's, so that it tells no host who asks, and nobody has it.
 *
 * Made from a secret of the installation and the domain, so that it is the same each time (a host that greylists would
 * put each new one off for ever) and differs from that of every other installation. A syllable has 6 bits, so seven of
 * them and the digits leave less than one chance in 2^48 that somebody bears the name. The digits keep it from being a role.
 */
export function randomProbeNames(key: string): (domain: string) => string {
  // Always of one length: what follows it in a digest can be nothing but the domain.
  const secret = hash('sha256', key);
  return (domain) => makeName(secret, domain);
}

/** One digest of both, of which a name shows too little to find the secret or any other name. */
function makeName(secret: string, domain: string): string {
  // A character for each byte.
  const bytes = hash('sha256', secret + domain, 'binary');
  const given = spoken(bytes, 0, 3);
  const family = spoken(bytes, 3, 7);
  const number = 10 + (((bytes.charCodeAt(7) << 8) | bytes.charCodeAt(8)) % 990);
  return `${given}${separators[bytes.charCodeAt(9) % separators.length] ?? ''}${family}${number}`;
}

const separators = ['.', '.', '_', '-', ''];
const syllables = Array.from('aeio').flatMap((vowel) =>
  Array.from('bdfghklmnprstvwz', (consonant) => consonant + vowel),
);

function spoken(bytes: string, start: number, end: number): string {
  let name = '';
  for (let index = start; index < end; index += 1) name += syllables[bytes.charCodeAt(index) & 63] ?? '';
  return name;
}
