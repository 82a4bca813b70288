import { hash, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The key of the address hashes in the log, made at the first start and kept in the data directory. It is
 * written aside and linked into place, so that of two first starts both end up with the same one.
 */
export function readLogSecret(dataDir: string): Buffer {
  const file = join(dataDir, 'log-secret');
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    return readFileSync(file);
  } catch {
    // With a database elsewhere, nothing else makes the directory.
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(draft, randomBytes(32), { mode: 0o600, flag: 'wx' });
  }
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file);
}

/** Twelve hex digits tell the addresses of one installation apart in its log, and tell nobody else anything. */
const hashDigits = 12;

/**
 * The secret comes first and most of the digest is thrown away, so the plain hash does what an HMAC would, in a
 * third of its time: nothing can be appended to a text of which only 48 of 256 bits are known.
 */
export function createAddressHash(secret: string | Buffer): (email: string) => string {
  const prefix = `${Buffer.from(secret).toString('hex')}:`;
  return (email) => hash('sha256', prefix + email.toLowerCase()).slice(0, hashDigits);
}
