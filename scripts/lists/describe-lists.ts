import { dropRules, type MergedDisposable } from '../../cli/src/domain-lists/merge-disposable.ts';
import {
  disposableSources,
  freeSources,
  unusedPackages,
  type SourcePackage,
} from '../../cli/src/domain-lists/packages.ts';

/** Everything `docs/lists.md` says that is not the same after every build. */
export type BuildReport = {
  disposable: MergedDisposable;
  /** Names in each package, and how many of ours each list of free providers holds too. */
  named: Map<string, number>;
  confirmed: Map<string, number>;
  confirmedByAny: number;
  /** The well-known providers of email-providers, by which combinations of sources are judged. */
  wellKnown: ReadonlySet<string>;
  counts: {
    disposable: number;
    free: number;
    roles: number;
    rolesNotForBulk: number;
    mailHosts: number;
    parkedHosts: number;
    relays: number;
  };
};

/** Writes `docs/lists.md`, whole: a figure in it cannot outlive the data it describes. */
export function describeLists(report: BuildReport): string {
  return [
    opening(report),
    sourcesSection(report),
    rulesSection(report),
    freeSection(report),
    rest(report),
  ].join('\n');
}

function opening({ counts }: BuildReport): string {
  return `# Lists

This page is written by \`scripts/build-lists.ts\`; manual changes are lost. It describes the
lists that the engine consults before it asks a server, their sources, and the sources left out.

| list | entries | file in \`engine/src/lists/data/\` | found by |
|---|---:|---|---|
| disposable domains | ${counts.disposable} | \`disposable-domains.txt\` | the domain or a parent of it, up to the registrable domain |
| disposable mail hosts | ${counts.mailHosts} | \`disposable-mail-hosts.txt\` | a mail host of the domain or a parent of it, up to the registrable domain |
| mail hosts of parked domains | ${counts.parkedHosts} | \`parked-mail-hosts.txt\` | a mail host of the domain or a parent of it, up to the registrable domain |
| free providers | ${counts.free} | \`free-providers.txt\` | the domain or its registrable domain |
| privacy relays | ${counts.relays} | \`privacy-relays.txt\` | the domain or a parent of it, up to the registrable domain |
| role names | ${counts.roles} | \`role-names.txt\` | the local part, ignoring case and \`+tag\` |
| roles that must not receive bulk mail | ${counts.rolesNotForBulk} | \`roles-not-for-bulk.txt\` | as role names |

A registrable domain is one label more than a public suffix; both sections of the Public Suffix List count. An entry
for \`a.github.io\` says nothing about \`b.github.io\`.
`;
}

function sourcesSection({ named }: BuildReport): string {
  const row = (source: SourcePackage, worth: string): string =>
    `| \`${source.name}\` ${source.version} | ${source.licence} | ${named.get(source.name) ?? 0} | ${worth} | ${source.why} |`;
  return `## Sources

The sources are npm packages. They are downloaded by version, checked against a pinned SHA-512, unpacked in memory and
never run or installed. Their licence notices are in \`engine/src/lists/data/NOTICE.md\`.

| package | licence | names | word | what it is |
|---|---|---:|---|---|
${disposableSources.map((source) => row(source, source.evidence)).join('\n')}
${freeSources.map((source) => row(source, 'free')).join('\n')}

Considered but not used:

| package | why not |
|---|---|
${unusedPackages.map(({ name, why }) => `| ${name} | ${why} |`).join('\n')}
`;
}

function rulesSection(report: BuildReport): string {
  const { disposable } = report;
  const rows = Object.entries(dropRules).map(
    ([rule, meaning]) => `| ${meaning} | ${countOf(disposable.dropped, rule)} |`,
  );
  return `## How disposable domains are merged

If a real domain is called disposable, someone is told not to write to a living person. So one weak source is not
enough: a name is kept if a source that reviews or observes **proves** it, or if the source that **claims** it is
**seconded** by another. These rules drop names, in this order:

| rule | names dropped |
|---|---:|
| all sources together, each name once | ${disposable.distinct} |
${rows.join('\n')}
| **kept** | **${disposable.names.length}** |

The two seconding sources are not enough together. The more well-known mail providers (\`email-providers\`) a
combination of sources calls disposable, the less it is worth. Combinations of fewer than 50 names are left out, and
some of the hits are well-known disposable services. This measure cannot see a small company that registered a domain
after a disposable service let it go. That is why a claim by the largest list alone is not enough either.

| named by exactly | names | well-known providers among them | per 10,000 |
|---|---:|---:|---:|
${agreementRows(report).join('\n')}

Domains that were disposable once and have lapsed do little harm and little good. Most of them no longer exist, and a
domain that does not exist is \`invalid\` in any case.
`;
}

function countOf(counts: Record<string, number>, rule: string): number {
  return counts[rule] ?? 0;
}

function agreementRows({ disposable, wellKnown }: BuildReport): string[] {
  return [...disposable.agreement]
    .filter(([, names]) => names.length >= 50)
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([combination, names]) => {
      const hits = names.filter((name) => wellKnown.has(name)).length;
      return `| ${combination} | ${names.length} | ${hits} | ${((hits / names.length) * 10_000).toFixed(1)} |`;
    });
}

function freeSection({ counts, confirmed, confirmedByAny }: BuildReport): string {
  const rows = [...confirmed].map(([name, count]) => `| \`${name}\` | ${count} |`);
  return `## Free providers

This list is chosen by hand (\`cli/src/domain-lists/by-hand/providers.txt\`), because lists of free providers contain
thousands of vanity domains that closed in 2005, companies and disposable services. They serve as a second opinion: of
our ${counts.free} names, ${confirmedByAny} are on at least one of them.

| also on | names |
|---|---:|
${rows.join('\n')}
`;
}

function rest({ counts }: BuildReport): string {
  return `## Written by hand

The files in \`cli/src/domain-lists/by-hand/\` each start with their own rule. They hold:

- the free providers,
- ${counts.roles} role names: RFC 2142 and common ones in a dozen languages, none that is also a person's name,
- ${counts.mailHosts} mail hosts that disposable services run themselves,
- ${counts.parkedHosts} mail hosts that park domains,
- ${counts.relays} domains of privacy relays.

A relay forwards mail to a person's own mailbox, so its addresses are not disposable; the explanation says \`is_relay\`.
Only the operator's own list can call them disposable.

## Renewing without a release

\`./mailproof domain-lists update\` takes the newest version of every package above from npm's registry and
merges them by the same rules. It puts the list of disposable domains into the data directory (\`domain-lists/\`). The
engine uses it from the next start. The command shows the changes, keeps the previous list
in \`previous/\`, and refuses a list that has lost more than half of its names. \`./mailproof domain-lists show\` tells
which lists are in use. To go back to the built-in list, remove the folder.

## An operator's own lists

There are three files, with one entry per line. Lines that start with \`#\` are comments.

| file | takes | says |
|---|---|---|
| spam traps | addresses, SHA-256 | \`spamtrap\`, no mail host asked |
| allow | addresses, domains | never disposable; a domain covers all names below it |
| deny | addresses, domains, SHA-256 | never verified, no packet sent; a domain covers all names below it |

Addresses are compared without regard to case, and domains in their ASCII form. A SHA-256 is that of \`local@domain\` in
lower case, with the domain in ASCII form, written in hexadecimal. A file that cannot be read, or an invalid line, stops
the start with one line that names file and line. While the service is running, a file is checked for changes when it is
used, at most once a second, and read again if it changed. Replace it by renaming, so that no half-written file is read.
If a changed file is invalid, this is reported once and the previous list stays in use.

## Rebuilding the lists

\`node scripts/build-lists.ts\` writes the data, the notices and this page. With \`--check\`, it writes nothing and fails
if a file would change. To use newer packages, update version and digest in \`cli/src/domain-lists/packages.ts\`
(\`npm view NAME@VERSION dist.integrity\`).
`;
}
