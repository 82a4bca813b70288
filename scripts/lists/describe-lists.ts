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
  /** What email-providers counts among the well-known, to tell how often a combination of sources errs. */
  wellKnown: ReadonlySet<string>;
  counts: {
    disposable: number;
    free: number;
    roles: number;
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

Written by \`scripts/build-lists.ts\`; a change made here by hand is lost. What the engine knows of an address
before anybody is asked, where it is from, and what was left out.

| list | entries | file in \`engine/src/lists/data/\` | found by |
|---|---:|---|---|
| disposable domains | ${counts.disposable} | \`disposable-domains.txt\` | the domain or a parent of it, up to the registrable domain |
| disposable mail hosts | ${counts.mailHosts} | \`disposable-mail-hosts.txt\` | a mail host of the domain or a parent of it, up to the registrable domain |
| mail hosts of parked domains | ${counts.parkedHosts} | \`parked-mail-hosts.txt\` | a mail host of the domain or a parent of it, up to the registrable domain |
| free providers | ${counts.free} | \`free-providers.txt\` | the domain or its registrable domain |
| role names | ${counts.roles} | \`role-names.txt\` | the local part without regard to case, \`+tag\` cut off |

Registrable domain: one label more than the public suffix, both sections of the Public Suffix List counted. What is
known of \`a.github.io\` says nothing of \`b.github.io\`.
`;
}

function sourcesSection({ named }: BuildReport): string {
  const row = (source: SourcePackage, worth: string): string =>
    `| \`${source.name}\` ${source.version} | ${source.licence} | ${named.get(source.name) ?? 0} | ${worth} | ${source.why} |`;
  return `## Sources

npm packages, fetched by version, checked against a pinned SHA-512, unpacked in memory and never run. Nothing is
installed from them. The notices of those whose names we carry are in \`engine/src/lists/data/NOTICE.md\`.

| package | licence | names | word | what it is |
|---|---|---:|---|---|
${disposableSources.map((source) => row(source, source.evidence)).join('\n')}
${freeSources.map((source) => row(source, 'free')).join('\n')}

Looked at and not used:

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

To call a real domain disposable tells somebody not to write to a living person, so one weak word is not enough: a
name is kept if a source that reviews or observes **proves** it, or if the one that **claims** it is **seconded** by
another. What a name is lost by, first rule first:

| rule | names dropped |
|---|---:|
| all sources together, each name once | ${disposable.distinct} |
${rows.join('\n')}
| **kept** | **${disposable.names.length}** |

Why the two that second are not enough together: the more of the well-known mail providers (\`email-providers\`) that a
combination of sources calls disposable, the less it is worth. Combinations of fewer than 50 names are left out; some
of the hits are throw-away services that are well known. What this measure cannot see is the small firm that
registered a domain after a throw-away service let it go, which is why a claim by the largest list alone is not enough either.

| named by exactly | names | well-known providers among them | per 10,000 |
|---|---:|---:|---:|
${agreementRows(report).join('\n')}

Domains that were disposable once and lapsed do little harm and little good: most of them no longer exist, and a domain
that does not exist is \`invalid\` whatever a list says.
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

Chosen by hand (\`cli/src/domain-lists/by-hand/providers.txt\`), because the lists of free providers hold thousands of vanity
domains that closed in 2005, companies and throw-away services. They serve as a second opinion: of our ${counts.free}
names ${confirmedByAny} are on at least one of them.

| also on | names |
|---|---:|
${rows.join('\n')}
`;
}

function rest({ counts }: BuildReport): string {
  return `## Written by hand

In \`cli/src/domain-lists/by-hand/\`, each file with its own rule at the top: the free providers, ${counts.roles} role names (RFC 2142
and common ones in a dozen languages, none that is also a person's name), ${counts.mailHosts} mail hosts that throw-away services
run for themselves, ${counts.parkedHosts} that park domains, and ${counts.relays} domains of privacy relays. A relay hands mail on to a person's own mailbox, so its
addresses are not disposable.

## Renewing without a release

\`./mailproof domain-lists update\` takes the newest version of every package above from the registry that npm is set to, merges them by
the same rules and puts the list of disposable domains into the data directory (\`domain-lists/\`), where the engine prefers it from the next
start on. It tells what changes, keeps the list before it in \`previous/\`, and refuses one that has lost more than half of its names.
\`./mailproof domain-lists show\` tells which lists are in force. Remove the folder to go back to the built-in list.

## An operator's own lists

Three files, one entry a line, \`#\` at the start of a line for a comment:

| file | takes | says |
|---|---|---|
| spam traps | addresses, SHA-256 | \`spamtrap\`, no mail host asked |
| allow | addresses, domains | never disposable; a domain covers all names below it |
| deny | addresses, domains, SHA-256 | never verified, no packet sent; a domain covers all names below it |

Addresses are compared without regard to case, domains in their ASCII form. A SHA-256 is that of \`local@domain\` in lower
case, the domain in ASCII form, written in hexadecimal. A file that cannot be read, or a line that is none of these, stops the start
with one line that names file and line. A file is looked at again on use, at most once a second, and read again
once it has changed (replace it by renaming, so that no half of it is read); one that has gone bad is reported once and the list read before stays in force.

## Building them anew

\`node scripts/build-lists.ts\` writes the data, the notice and this page; \`--check\` writes nothing and fails if a file would change. For
newer packages raise version and digest in \`cli/src/domain-lists/packages.ts\` (\`npm view NAME@VERSION dist.integrity\`).
`;
}
