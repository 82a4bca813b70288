import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changesOf, whyNotReleasable } from './why-not-releasable.ts';

/** The checkout that is released, and the parts that tests replace. */
type ReleaseParts = {
  root: string;
  /** The releases that the tests of upgrades start from, as `1.0.0+abcdef0`. */
  kept: readonly string[];
  /** Writes the packages and returns the names of their files. */
  write: () => Promise<string[]>;
  /** Writes everything, and leaves the repository without the tag. */
  isDry: boolean;
};

type Release =
  | { kind: 'refused'; why: string }
  | { kind: 'made'; version: string; commit: string; files: string[]; tag: string };

/**
 * Makes a release of the version in `package.json`: the packages first, then an annotated tag with its section of the
 * changelog. A failure on the way leaves no tag. The same commit can be released again, and keeps its tag.
 */
export async function makeRelease({ root, kept, write, isDry }: ReleaseParts): Promise<Release> {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trimEnd();
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const tag = `v${version}`;
  const commit = git('rev-parse', 'HEAD');
  const tagged = git(
    'for-each-ref',
    '--format=%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)',
    `refs/tags/${tag}`,
  );
  const changelog = read('CHANGELOG.md');
  const changes = git('status', '--porcelain');
  const why = whyNotReleasable({ version, changes, changelog, kept, commit, tagged });
  if (why !== undefined) return { kind: 'refused', why };
  const files = await write();
  if (!isDry && tagged === '') {
    const notes = `Mailproof ${version}\n\n${changesOf(changelog, version)}\n`;
    // Verbatim: git would drop the headings of the notes as comments.
    git('tag', '--annotate', '--cleanup=verbatim', '--message', notes, tag, commit);
  }
  return { kind: 'made', version, commit, files, tag };
}
