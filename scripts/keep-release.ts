/**
 * `node scripts/keep-release.ts COMMIT`: keeps a release for the tests of upgrades, in
 * `service/test/faults/upgrade/releases/`: for each database one that it worked on, with what its API said of it. Run it
 * once for each release, on its commit, and commit what it writes. The packages are those that are installed here.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillRelease } from '../service/test/faults/upgrade/fill-release.ts';
import { buildProgram, keptFiles, releasesFolder } from '../service/test/faults/upgrade/kept-release.ts';

async function keepRelease(commit: string): Promise<string> {
  const { version } = JSON.parse(git('show', `${commit}:package.json`)) as { version: string };
  const release = `${version}+${git('rev-parse', '--short=7', commit).trim()}`;
  const program = buildProgram(release);
  const folder = join(releasesFolder, release);
  mkdirSync(folder, { recursive: true });
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    const { sql, answers } = await fillRelease(program, database);
    writeFileSync(join(folder, keptFiles[database].sql), sql);
    writeFileSync(join(folder, keptFiles[database].answers), `${JSON.stringify(answers, null, 2)}\n`);
  }
  return folder;
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' });
}

const [commit = 'HEAD'] = process.argv.slice(2);
process.stdout.write(`${await keepRelease(commit)}\n`);
// A server that was started for this ends with the process.
process.exit();
