import { readFileSync } from 'node:fs';

/** The one place that says it: the manifest of the repository, which is also that of the package made from it. */
const manifest = new URL('../../package.json', import.meta.url);

export function programVersion(): string {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return version;
}

/** How a person calls us: a clone has a launcher in its root, a package is on the path. */
export function programName(): string {
  return /\/node_modules\//.test(manifest.pathname) ? 'mailproof' : './mailproof';
}
