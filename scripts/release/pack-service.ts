import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildConsole } from '../../console/build.ts';
import { compileSources } from './compile-sources.ts';
import { copyDependencies } from './copy-dependencies.ts';
import { listComponents } from './list-components.ts';
import { npmPack } from './run-npm.ts';

const root = join(import.meta.dirname, '../..');

/** What is deployed, and the simulated mail internet of `mailproof demo`. */
const workspaces = ['engine', 'client', 'service', 'cli', 'world'];

type PackedService = { tarball: string; sbom: string };

/**
 * Packs `mailproof`: service, console and command line as JavaScript, with the packages that they need. Writes the
 * tarball and a list of what is in it (CycloneDX), and answers with their names.
 */
export async function packService(directory: string): Promise<PackedService> {
  const workplace = mkdtempSync(join(tmpdir(), 'mailproof-package-'));
  // npm names the subject of an SBOM after its folder.
  const folder = join(workplace, 'mailproof');
  try {
    await layOut(folder);
    mkdirSync(directory, { recursive: true });
    const tarball = npmPack(folder, directory);
    const sbom = tarball.replace(/\.tgz$/, '.cdx.json');
    const list = listComponents(folder, { root, workspaces, page: 'console', compiledBy: ['esbuild'] });
    writeFileSync(join(directory, sbom), `${JSON.stringify(list, null, 2)}\n`);
    return { tarball, sbom };
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
}

async function layOut(folder: string): Promise<void> {
  await buildConsole();
  await compileSources(root, { workspaces, into: folder });
  const isWanted = (path: string) => !path.endsWith('.made-from');
  cpSync(join(root, 'console/dist'), join(folder, 'console/dist'), { recursive: true, filter: isWanted });
  for (const name of ['README.md', 'CHANGELOG.md', 'LICENSE', 'ops', 'docs'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  cpSync(join(import.meta.dirname, 'launcher.sh'), join(folder, 'bin/mailproof'));
  chmodSync(join(folder, 'bin/mailproof'), 0o755);
  const dependencies = copyDependencies(root, { workspaces, into: folder });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(dependencies), null, 2)}\n`);
}

/** Returns the manifest of the package: the root's own facts, its version among them. */
function manifest(dependencies: Record<string, string>): Record<string, unknown> {
  const { name, version, description, license, type, engines } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Record<string, unknown>;
  const bin = { mailproof: 'bin/mailproof' };
  const bundleDependencies = Object.keys(dependencies);
  return { name, version, description, license, type, engines, bin, dependencies, bundleDependencies };
}
