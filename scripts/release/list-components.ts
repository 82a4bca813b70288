import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { findProductionPackages, type LockedPackage } from './production-packages.ts';
import { runNpm } from './run-npm.ts';

/**
 * The components of the package as a CycloneDX document: npm's list of its packages, and the packages bundled into the
 * page, which npm does not see. The same commit gives the same document.
 */
export function listComponents(folder: string, page: PageSources): Sbom {
  const list = JSON.parse(
    runNpm(['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], folder),
  ) as Sbom;
  const hashes = hashesOf(page);
  const components = [...list.components, ...pageComponents(page)]
    .map((component) => withHash(component, hashes))
    .sort((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1));
  const metadata = { ...list.metadata, timestamp: commitTime(page.root) };
  const digest = createHash('sha256').update(JSON.stringify({ metadata, components })).digest('hex');
  return { ...list, serialNumber: `urn:uuid:${asUuid(digest)}`, metadata, components };
}

export type Sbom = {
  serialNumber: string;
  metadata: { timestamp: string };
  components: Component[];
};

export type Component = {
  'bom-ref': string;
  type: 'library';
  name: string;
  version: string;
  scope: 'required';
  /** The package as a URL, by which other tools know it. */
  purl: string;
  licenses?: { license: { id: string } }[];
  hashes?: { alg: 'SHA-512'; content: string }[];
};

type PageSources = {
  root: string;
  /** The workspaces whose packages travel inside the package. */
  workspaces: readonly string[];
  /** The workspace that the page is made from. */
  page: string;
  /** Tools that make it and are not in it. */
  compiledBy: readonly string[];
};

type Hashes = ReadonlyMap<string, string>;

/** The SHA-512 of each package of the release as the registry has it, by name and version, from the lockfile. */
export function hashesOf({
  root,
  workspaces,
  page,
}: Pick<PageSources, 'root' | 'workspaces' | 'page'>): Hashes {
  const { packages } = findProductionPackages(root, [...workspaces, page]);
  return new Map(
    [...packages].map(([path, { version = '', integrity = '' }]) => {
      const [algorithm, digest = ''] = integrity.split('-');
      if (algorithm !== 'sha512') throw new Error(`${path} has no SHA-512 in the lockfile`);
      return [`${nameOf(path)}@${version}`, Buffer.from(digest, 'base64').toString('hex')];
    }),
  );
}

/** npm knows no hash of a package that it finds in a folder; the lockfile does. */
export function withHash(component: Component, hashes: Hashes): Component {
  const content = hashes.get(`${component.name}@${component.version}`);
  if (content === undefined)
    throw new Error(`${component['bom-ref']} is in the package and not in the lockfile`);
  return { ...component, hashes: [{ alg: 'SHA-512', content }] };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function pageComponents({ root, page, compiledBy }: PageSources): Component[] {
  const { packages } = findProductionPackages(root, [page]);
  return [...packages]
    .map(([path, locked]) => ({ name: nameOf(path), locked }))
    .filter(({ name }) => !compiledBy.includes(name))
    .map(({ name, locked }) => asComponent(name, locked));
}

function asComponent(name: string, { version = '', license }: LockedPackage): Component {
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license === undefined ? {} : { licenses: [{ license: { id: license } }] }),
  };
}

function commitTime(root: string): string {
  const time = execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: root, encoding: 'utf8' });
  return new Date(time.trim()).toISOString();
}

/** Version 8 of RFC 9562, section 5.8: bits of our own choice. */
function asUuid(hex: string): string {
  const variant = ((parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
