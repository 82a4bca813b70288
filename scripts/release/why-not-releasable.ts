/** The facts by which a release is judged. */
type ReleaseState = {
  version: string;
  /** As `git status --porcelain` prints them. */
  changes: string;
  changelog: string;
  /** The releases that the tests of upgrades start from, as `1.0.0+abcdef0`. */
  kept: readonly string[];
};

/**
 * A release can be made again from its commit alone, says what is new in it, and was upgraded to from each one before.
 * Returns nothing if all of that holds.
 */
export function whyNotReleasable({ version, changes, changelog, kept }: ReleaseState): string | undefined {
  const changed = changes.split('\n').filter((line) => line !== '');
  if (changed.length > 0) {
    const shown = changed.slice(0, 3).map((line) => line.slice(3));
    return `the tree is not clean (${shown.join(', ')}${changed.length > 3 ? ', …' : ''}): commit or remove it first`;
  }
  const sections = changelog.split(/^## /m).slice(1);
  const versions = sections.map((section) => section.split(/\s/, 1)[0] ?? '');
  const place = versions.indexOf(version);
  if (place === -1)
    return `CHANGELOG.md has no section "## ${version}", the version in package.json: write what is new in it`;
  const [, ...lines] = sections[place]?.split('\n') ?? [];
  if (lines.every((line) => line.trim() === ''))
    return `the section "## ${version}" of CHANGELOG.md is empty: write what is new in it`;
  const missing = versions.slice(place + 1).find((one) => !kept.some((name) => name.startsWith(`${one}+`)));
  if (missing === undefined) return undefined;
  return `release ${missing} is not kept for the tests of upgrades: run node scripts/keep-release.ts with its commit`;
}
