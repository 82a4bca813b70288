import { hash, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the key of the address hashes in the log. The first start creates it in the data directory. It is written
 * to a temporary file and linked into place, so two concurrent first starts get the same key.
 */
export function readLogSecret(dataDir: string): Buffer {
  const file = join(dataDir, 'log-secret');
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    return readFileSync(file);
  } catch {
    // If the database is elsewhere, no other code creates the directory.
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

/** Twelve hex digits tell the addresses of one installation apart in its log, and reveal nothing to others. */
const hashDigits = 12;

/**
 * Returns the hash function. The secret comes first and most of the digest is discarded, so a plain hash is as safe
 * as an HMAC, in a third of its time. Length extension is impossible when only 48 of 256 bits are known.
 */
export function createAddressHash(secret: string | Buffer): (email: string) => string {
  const prefix = `${Buffer.from(secret).toString('hex')}:`;
  return (email) => hash('sha256', prefix + email.toLowerCase()).slice(0, hashDigits);
}
