/**
 * `node scripts/keep-release.ts COMMIT`: keeps a release for the tests of upgrades, in
 * `service/test/faults/upgrade/releases/`. Run it once for each release, on its commit, and commit what it writes. The
 * packages are those that are installed here.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillRelease } from '../service/test/faults/upgrade/fill-release.ts';
import { keptFiles, releasesFolder } from '../service/test/faults/upgrade/kept-release.ts';
import { bundledProgram, bundleProgram } from './release/bundle-program.ts';

const root = join(import.meta.dirname, '..');

async function keepRelease(commit: string): Promise<string> {
  const checkout = mkdtempSync(join(tmpdir(), 'mailproof-checkout-'));
  const bundle = mkdtempSync(join(tmpdir(), 'mailproof-bundle-'));
  git('worktree', 'add', '--detach', checkout, commit);
  try {
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
    await bundleProgram(checkout, bundle);
    const manifest = readFileSync(join(checkout, 'package.json'), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    const folder = join(releasesFolder, `${version}+${git('rev-parse', '--short=7', commit).trim()}`);
    mkdirSync(folder, { recursive: true });
    pack(bundle, join(folder, keptFiles.program));
    for (const database of ['SQLite', 'PostgreSQL'] as const) {
      const { sql, answers } = await fillRelease(join(bundle, bundledProgram), database);
      writeFileSync(join(folder, keptFiles[database].sql), sql);
      writeFileSync(join(folder, keptFiles[database].answers), `${JSON.stringify(answers, null, 2)}\n`);
    }
    return folder;
  } finally {
    git('worktree', 'remove', '--force', checkout);
    rmSync(bundle, { recursive: true, force: true });
  }
}

/** The same bytes for the same program: no names, no times. */
function pack(folder: string, file: string): void {
  const steady = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  execFileSync('tar', [...steady, '--use-compress-program=gzip -9n', '-C', folder, '-cf', file, '.']);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

const [commit = 'HEAD'] = process.argv.slice(2);
process.stdout.write(`${await keepRelease(commit)}\n`);
// A server that was started for this ends with the process.
process.exit();
