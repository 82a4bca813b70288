import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The form of an API key: `mp_live_` or `mp_test_`, a public id of 8 characters, a secret of 43 (256 bits)
 * and a checksum of 6.
 *
 * The id finds the row; only a hash of the secret is stored. A fast hash is right here: nobody guesses
 * 256 random bits, however fast. The checksum lets a scanner recognise a leaked key and refuses every
 * single-character slip without asking the store.
 */
type ApiKey = { mode: 'live' | 'test'; id: string; secret: string };

const shape = /^(mp_(live|test)_([0-9A-Za-z]{8})([0-9A-Za-z]{43}))([0-9A-Za-z]{6})$/;

export function makeApiKey(mode: ApiKey['mode']): ApiKey {
  // 62^8 ids: taking the remainder of 64 random bits favours none by more than one in 80,000.
  const id = toBase62(randomBytes(8).readBigUInt64BE() % 62n ** 8n, 8);
  return { mode, id, secret: randomBase62(43) };
}

/** 256 random bits take 43 characters; fewer characters hold as many of them as they can. */
export function randomBase62(length: number): string {
  return toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`) % 62n ** BigInt(length), length);
}

export function writeApiKey({ mode, id, secret }: ApiKey): string {
  const body = `mp_${mode}_${id}${secret}`;
  return body + base62Checksum(body);
}

/** `undefined` for anything that we cannot have issued. */
export function readApiKey(text: string): ApiKey | undefined {
  const [, body, mode, id, secret, checksum] = shape.exec(text) ?? [];
  if (body === undefined || id === undefined || secret === undefined) return undefined;
  if (base62Checksum(body) !== checksum) return undefined;
  return { mode: mode === 'live' ? 'live' : 'test', id, secret };
}

export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

export function base62Checksum(body: string): string {
  return toBase62(BigInt(crc32(body)), 6);
}

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A number in letters and digits, padded to `length`: safe in headers, URLs and double-clicks. */
function toBase62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = base62Digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}
