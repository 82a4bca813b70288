import { hash } from 'node:crypto';

/**
 * Returns the maker of made-up local parts. They look like a person's, so that they tell no host who asks, and
 * belong to no mailbox.
 *
 * Each is made from a secret of the installation and the domain. So it is the same each time (a host that greylists
 * would put each new one off for ever) and differs from that of every other installation. A syllable has 6 bits:
 * seven of them and the digits leave less than one chance in 2^48 that a person bears the name. The digits keep it
 * from being a role.
 */
export function randomProbeNames(key: string): (domain: string) => string {
  // Always of one length, so only the domain can follow it in a digest.
  const secret = hash('sha256', key);
  return (domain) => makeName(secret, domain);
}

/** Makes a name from one digest of both. It shows too little of the digest to find the secret or any other name. */
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
