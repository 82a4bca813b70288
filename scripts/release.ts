/** `npm run release`: the packages of this version, from a clean tree, into `artifacts/release/`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptReleases } from '../service/test/faults/upgrade/kept-release.ts';
import { whyNotReleasable } from './release/why-not-releasable.ts';
import { writeRelease } from './release/write-release.ts';

const root = join(import.meta.dirname, '..');
const directory = join(root, 'artifacts/release');

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const reason = whyNotReleasable({
  version,
  changes: git('status', '--porcelain'),
  changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
  kept: keptReleases,
});
if (reason === undefined) {
  const files = await writeRelease(directory);
  process.stdout.write(
    `Mailproof ${version} (${git('rev-parse', '--short', 'HEAD').trim()}) in ${directory}:\n`,
  );
  process.stdout.write(files.map((file) => `  ${file}\n`).join(''));
} else {
  process.stderr.write(`mailproof: ${reason}\n`);
  process.exitCode = 1;
}
