import { base62Checksum, randomBase62 } from '../../core/keys/api-key.ts';

/**
 * A publishable key: `mp_pub_`, 20 random characters and a checksum of 6. Web pages show it to everyone, so hashing it
 * would gain nothing. The checksum rejects typos without a query.
 */
const shape = /^(mp_pub_[0-9A-Za-z]{20})([0-9A-Za-z]{6})$/;

export function makeFormKey(): string {
  const body = `mp_pub_${randomBase62(20)}`;
  return body + base62Checksum(body);
}

/** Tells whether the service can have issued it. */
export function isFormKey(text: string): boolean {
  const [, body, checksum] = shape.exec(text) ?? [];
  return body !== undefined && base62Checksum(body) === checksum;
}
