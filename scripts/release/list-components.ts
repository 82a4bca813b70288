import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { findProductionPackages, type LockedPackage } from './production-packages.ts';
import { runNpm } from './run-npm.ts';

/**
 * What the laid-out package is made of, as a CycloneDX document: npm's own list of the packages in it, and those that
 * went into the page, which npm does not see. The same commit gives the same document.
 */
export function listComponents(folder: string, page: PageSources): Sbom {
  const list = JSON.parse(
    runNpm(['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], folder),
  ) as Sbom;
  const components = [...list.components, ...pageComponents(page)].sort((one, other) =>
    one['bom-ref'] < other['bom-ref'] ? -1 : 1,
  );
  const metadata = { ...list.metadata, timestamp: commitTime(page.root) };
  const digest = createHash('sha256').update(JSON.stringify({ metadata, components })).digest('hex');
  return { ...list, serialNumber: `urn:uuid:${asUuid(digest)}`, metadata, components };
}

export type Sbom = {
  serialNumber: string;
  metadata: { timestamp: string };
  components: Component[];
};

type Component = {
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
  /** The workspace that the page is made from. */
  page: string;
  /** What makes it and is not in it. */
  compiledBy: readonly string[];
};

function pageComponents({ root, page, compiledBy }: PageSources): Component[] {
  const { packages } = findProductionPackages(root, [page]);
  return [...packages]
    .map(([path, locked]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 13), locked }))
    .filter(({ name }) => !compiledBy.includes(name))
    .map(({ name, locked }) => asComponent(name, locked));
}

function asComponent(name: string, { version = '', license, integrity = '' }: LockedPackage): Component {
  const [algorithm = '', digest = ''] = integrity.split('-');
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license === undefined ? {} : { licenses: [{ license: { id: license } }] }),
    ...(algorithm === 'sha512'
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }
      : {}),
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
