/**
 * The packages that the lists are built from: build inputs only, never installed, none of their code run.
 * Each is pinned to a version and to the digest of its archive, so that a list changes only with a commit.
 */
export type SourcePackage = {
  name: string;
  version: string;
  /** As the registry and a lock file write it. */
  integrity: string;
  licence: string;
  licenceFile: string;
  dataFile: string;
  /** Takes the names out of the data file; whether they are names is looked at later. */
  names(text: string): string[];
  /** Why it was chosen and what is known of its quality, for `docs/lists.md`. */
  why: string;
};

/**
 * The weight of a package. A package that `proves` is enough by itself. A package that `claims` counts if another one
 * `seconds` it, which never counts alone.
 */
export type Evidence = 'proves' | 'claims' | 'seconds';

type DisposableSource = SourcePackage & { evidence: Evidence };

export const disposableSources: DisposableSource[] = [
  {
    name: 'disposable-email-domains-js',
    version: '1.26.0',
    integrity:
      'sha512-pSqALZAiuw6HDC1HqhhtvShRnniUNObQ6kzwa5N280XbyxxCPBZnQQ7fO6Uk/CNTi4cAaKE1UZl3Mc30Zfj4UA==',
    licence: 'CC0-1.0',
    licenceFile: 'package/LICENSE',
    dataFile: 'package/dist/dict/disposable_email_blocklist.json',
    names: jsonNames,
    evidence: 'proves',
    why: 'The community blocklist: every name goes through a reviewed request, and wrong ones are taken out again.',
  },
  {
    name: 'fakefilter',
    version: '0.1.1476',
    integrity:
      'sha512-WG5cQrrHKNmaOW5vzS/J//FFHpvuObGjAjkgGZHSEU8Eq52XHvG1mXTF6Yzpc1E/yj4m4A/5JV60xdlJhhYjgA==',
    licence: 'BSD-3-Clause',
    licenceFile: 'package/LICENSE.md',
    dataFile: 'package/json/data_version2.json',
    names: fakefilterNames,
    evidence: 'proves',
    why: 'Observed, not submitted: it asks the known services which domains they hand out and forgets one after a year.',
  },
  {
    name: 'disposable-domains',
    version: '2.0.1',
    integrity:
      'sha512-HHFOvipnCiPKQyFRClxViWYHoeLVYYdBXecpJ59MzdYtlxvC/u/eFJW+ZIGw8Lk01Fp+kmUlxJPwgaRudtqJCQ==',
    licence: 'MIT',
    licenceFile: 'package/LICENSE',
    dataFile: 'package/index.json',
    names: jsonNames,
    evidence: 'claims',
    why: 'The largest, kept on from `disposable-email-domains`: clean of known providers, but full of domains that lapsed long ago.',
  },
  {
    name: 'mailchecker',
    version: '6.0.21',
    integrity:
      'sha512-Zd2Lgj4RMnC0IBbbSjnF76Wbd+kkgKMRONgV9yOMKJhj6hcKIAQtj9MrmiGnT2Db+Dy6MsMQoG2HEhPk2YPuGA==',
    licence: 'MIT',
    licenceFile: 'package/LICENSE',
    dataFile: 'package/platform/node/index.js',
    names: mailcheckerNames,
    evidence: 'seconds',
    why: 'Merges many lists, privacy relays and real providers among them.',
  },
  {
    name: 'burner-email-providers',
    version: '1.0.67',
    integrity:
      'sha512-w3aWPwragdi/fyGvPFl3Ll4jlbsVecdiC/vsApzyTMReylKBl8w+nN0Oh4fGJanu7Mcn13Xgnrl1OyQk7XEiug==',
    licence: 'MIT',
    licenceFile: 'package/LICENSE',
    dataFile: 'package/emails.txt',
    names: textNames,
    evidence: 'seconds',
    why: 'Submitted names, hardly reviewed: real providers among them.',
  },
];

export const freeSources: SourcePackage[] = [
  {
    name: 'freemail',
    version: '1.7.0',
    integrity:
      'sha512-XzEdol9AxxwDN5ISi+J560MgQRKTiGOTRFakRQLUQDEjr48hBMzU5Eo7c2U13zzz3IwcaD+54jWHJrg6/wqRNA==',
    licence: 'ISC',
    licenceFile: 'package/LICENSE',
    dataFile: 'package/data/free.txt',
    names: textNames,
    why: 'Free providers kept apart from throw-away ones; many of its names are long gone.',
  },
  {
    name: 'email-providers',
    version: '2.26.0',
    integrity:
      'sha512-ao9KMlxxQgFyXb16PCrSbB61o6GXRc4ik2zQhwuNxTnoH8r5UWXrSVkdNtBCW9G4sSYlbZ1aszvGBD9wlAiVsg==',
    licence: 'ISC',
    licenceFile: 'package/license.md',
    dataFile: 'package/common.json',
    names: jsonNames,
    why: 'The mail providers among the 100,000 best-linked sites; throw-away services and public suffixes among them.',
  },
];

/** Packages that were examined and left out, each with the reason. */
export const unusedPackages: { name: string; why: string }[] = [
  { name: 'disposable-email-domains 1.0.62', why: '`disposable-domains` holds 99.7 % of it and is newer.' },
  {
    name: 'disposable-email-detector 3.0.0',
    why: 'Holds over 90 % of each of the three weaker lists above: a sum of them, not a second opinion.',
  },
  {
    name: 'is-burner-email 1.4.3',
    why: 'A sum of upstream lists too; its names come only inside a bundle of code.',
  },
  {
    name: 'freemail 1.7.0, disposable.txt',
    why: '99.7 % of it is in `disposable-email-domains`: not a second opinion.',
  },
  {
    name: 'free-email-domains 1.12.6',
    why: "Mixes disposable with free; in part a company's download without a licence.",
  },
  {
    name: 'free-email-domains-list 1.0.16',
    why: '94 % of its 96,647 names are on a disposable list; taken from a gist without a licence.',
  },
  {
    name: 'role-based-email-addresses 3.1.0',
    why: 'Holds given names, cities and years (`alexa`, `paris`, `2024`): ours is written by hand.',
  },
];

function jsonNames(text: string): string[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) throw new Error('expected a JSON array of names');
  return parsed.filter((name): name is string => typeof name === 'string');
}

function textNames(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The names are the one array literal in the code, which is read and never run. */
function mailcheckerNames(text: string): string[] {
  const start = text.indexOf('new Set([');
  const end = text.indexOf('])', start);
  if (start < 0 || end < 0) throw new Error('mailchecker: no list of names in the code');
  return jsonNames(text.slice(start + 'new Set('.length, end + 1));
}

/** `domains` is keyed by registrable domain; only the hosts below were seen in use (`itt.it.com`, not `it.com`). */
function fakefilterNames(text: string): string[] {
  const parsed: unknown = JSON.parse(text);
  const domains = property(parsed, 'domains');
  if (!isObject(domains)) throw new Error('fakefilter: no domains');
  return Object.values(domains).flatMap((domain) => {
    const hosts = property(domain, 'hosts');
    return isObject(hosts) ? Object.keys(hosts) : [];
  });
}

function property(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
