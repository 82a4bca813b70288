/**
 * `npm run release`: writes the packages of this version into `artifacts/release/` and tags the commit.
 * `npm run release -- --dry-run` writes them and sets no tag.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keptReleases } from '../service/test/faults/upgrade/kept-release.ts';
import { makeRelease } from './release/make-release.ts';
import { writeRelease } from './release/write-release.ts';

const root = join(import.meta.dirname, '..');
const directory = join(root, 'artifacts/release');

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
const isDry = values['dry-run'];
const release = await makeRelease({ root, kept: keptReleases, write: () => writeRelease(directory), isDry });
if (release.kind === 'made') {
  const { version, commit, files, tag } = release;
  process.stdout.write(`Mailproof ${version} (${commit.slice(0, 7)}) in ${directory}:\n`);
  process.stdout.write(files.map((file) => `  ${file}\n`).join(''));
  process.stdout.write(
    isDry ? `Dry run: no tag ${tag}.\n` : `Tagged ${tag}. To publish it: git push origin ${tag}\n`,
  );
} else {
  process.stderr.write(`mailproof: ${release.why}\n`);
  process.exitCode = 1;
}
