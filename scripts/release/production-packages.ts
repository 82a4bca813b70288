import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package of the lockfile. */
export type LockedPackage = {
  version?: string;
  license?: string;
  integrity?: string;
  link?: true;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

/** By their paths below the root, which is also how the lockfile names them. */
type Packages = ReadonlyMap<string, LockedPackage>;

type ProductionPackages = {
  packages: Packages;
  /** Names and versions of those that the workspaces import themselves. */
  direct: Record<string, string>;
};

/**
 * The packages of others that the workspaces need in production, in the versions of the lockfile. Optional packages
 * (`optionalDependencies`: native code for one platform) are not among them.
 */
export function findProductionPackages(root: string, workspaces: readonly string[]): ProductionPackages {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const locked = new Map(
    Object.entries((JSON.parse(text) as { packages: Record<string, LockedPackage> }).packages),
  );
  const needed = new Map<string, LockedPackage>();
  const direct: Record<string, string> = {};
  for (const workspace of workspaces) {
    for (const name of Object.keys(locked.get(workspace)?.dependencies ?? {})) {
      const [path, found] = resolve(name, workspace, locked);
      if (found.link === true) continue;
      direct[name] = found.version ?? '';
      collect(path, locked, needed);
    }
  }
  return { packages: needed, direct };
}

function collect(path: string, locked: Packages, needed: Map<string, LockedPackage>): void {
  if (needed.has(path)) return;
  if (!path.startsWith('node_modules/')) throw new Error(`${path} would not be found inside a package`);
  const found = locked.get(path) ?? {};
  needed.set(path, found);
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = found;
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  for (const name of [...Object.keys(dependencies), ...peers])
    collect(resolve(name, path, locked)[0], locked, needed);
}

/** As Node looks for it: beside the package, then outwards. */
function resolve(name: string, from: string, locked: Packages): [string, LockedPackage] {
  for (let place = from; ; place = place.slice(0, Math.max(place.lastIndexOf('/node_modules/'), 0))) {
    const path = place === '' ? `node_modules/${name}` : `${place}/node_modules/${name}`;
    const found = locked.get(path);
    if (found !== undefined) return [path, found];
    if (place === '') throw new Error(`${from} needs ${name}, which is not in the lockfile`);
  }
}
