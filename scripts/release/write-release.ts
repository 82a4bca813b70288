import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packClient } from './pack-client.ts';
import { packService } from './pack-service.ts';
import { npmPack } from './run-npm.ts';

const checksums = 'SHA256SUMS';

/** Writes a release into a directory of its own: the packages, their components, and the checksums of all. */
export async function writeRelease(directory: string): Promise<string[]> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  await packService(directory);
  packTheClient(directory);
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

/** In the version of the release, like all of it. It depends on no package, so its manifest says all that is in it. */
function packTheClient(directory: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-client-'));
  try {
    packClient(folder);
    const file = join(folder, 'package.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, `${JSON.stringify({ ...manifest, version: releaseVersion() }, null, 2)}\n`);
    npmPack(folder, directory);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function releaseVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
