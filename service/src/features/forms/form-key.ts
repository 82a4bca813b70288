import { base62Checksum, randomBase62 } from '../../core/keys/api-key.ts';

/**
 * A publishable key: `mp_pub_`, 20 random characters and a checksum of 6. It stands in web pages where everybody reads
 * it, so nothing is gained by hashing it; the checksum refuses slips without asking the store.
 */
const shape = /^(mp_pub_[0-9A-Za-z]{20})([0-9A-Za-z]{6})$/;

export function makeFormKey(): string {
  const body = `mp_pub_${randomBase62(20)}`;
  return body + base62Checksum(body);
}

/** Whether we can have issued it. */
export function isFormKey(text: string): boolean {
  const [, body, checksum] = shape.exec(text) ?? [];
  return body !== undefined && base62Checksum(body) === checksum;
}
