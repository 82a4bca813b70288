/** The facts that decide whether a release may be made. */
type ReleaseState = {
  version: string;
  /** Uncommitted changes, as `git status --porcelain` prints them. */
  changes: string;
  changelog: string;
  /** The releases that the tests of upgrades start from, as `1.0.0+abcdef0`. */
  kept: readonly string[];
  /** The commit to release. */
  commit: string;
  /** The commit that carries the version's tag already, or empty. */
  tagged: string;
};

/**
 * Returns the reason to refuse a release, or nothing. A release can be rebuilt from its commit alone, says what is new in
 * it, has a version of its own, and was upgraded to from each release before it.
 */
export function whyNotReleasable(state: ReleaseState): string | undefined {
  const { version, changes, changelog, kept, commit, tagged } = state;
  const changed = changes.split('\n').filter((line) => line !== '');
  if (changed.length > 0) {
    const shown = changed.slice(0, 3).map((line) => line.slice(3));
    return `the tree is not clean (${shown.join(', ')}${changed.length > 3 ? ', …' : ''}): commit or remove it first`;
  }
  const versions = sectionsOf(changelog).map(versionOf);
  const place = versions.indexOf(version);
  if (place === -1)
    return `CHANGELOG.md has no section "## ${version}", the version in package.json: write what is new in it`;
  if (changesOf(changelog, version) === '')
    return `the section "## ${version}" of CHANGELOG.md is empty: write what is new in it`;
  if (tagged !== '' && tagged !== commit)
    return `v${version} is the tag of commit ${tagged.slice(0, 7)}: set the next version in package.json`;
  const missing = versions.slice(place + 1).find((one) => !kept.some((name) => name.startsWith(`${one}+`)));
  if (missing === undefined) return undefined;
  return `release ${missing} is not kept for the tests of upgrades: run node scripts/keep-release.ts with its commit`;
}

/** Returns the text of a version's section in the changelog, without its heading. */
export function changesOf(changelog: string, version: string): string {
  const section = sectionsOf(changelog).find((one) => versionOf(one) === version) ?? '';
  const [, ...lines] = section.split('\n');
  return lines.join('\n').trim();
}

function sectionsOf(changelog: string): string[] {
  return changelog.split(/^## /m).slice(1);
}

function versionOf(section: string): string {
  return section.split(/\s/, 1)[0] ?? '';
}
