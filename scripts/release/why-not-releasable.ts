/** What a release is judged by. */
type ReleaseState = {
  version: string;
  /** As `git status --porcelain` prints them. */
  changes: string;
  changelog: string;
};

/** A release can be made again from its commit alone, and says what is new in it. Nothing where both hold. */
export function whyNotReleasable({ version, changes, changelog }: ReleaseState): string | undefined {
  const changed = changes.split('\n').filter((line) => line !== '');
  if (changed.length > 0) {
    const shown = changed.slice(0, 3).map((line) => line.slice(3));
    return `the tree is not clean (${shown.join(', ')}${changed.length > 3 ? ', …' : ''}): commit or remove it first`;
  }
  const hasSection = changelog
    .split('\n')
    .some((line) => line === `## ${version}` || line.startsWith(`## ${version} `));
  return hasSection ? undefined : `CHANGELOG.md has no section "## ${version}", the version in package.json`;
}
