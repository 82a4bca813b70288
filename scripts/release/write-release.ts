import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packService } from './pack-service.ts';

const checksums = 'SHA256SUMS';

/** Writes a release into a directory of its own: the packages, what they are made of, and the checksums of all. */
export async function writeRelease(directory: string): Promise<string[]> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  await packService(directory);
  const files = readdirSync(directory).sort();
  const lines = files.map((file) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(directory, file)))
      .digest('hex');
    return `${digest}  ${file}\n`;
  });
  writeFileSync(join(directory, checksums), lines.join(''));
  return [...files, checksums];
}
