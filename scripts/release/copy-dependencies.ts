import { cpSync, existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { findProductionPackages } from './production-packages.ts';

/**
 * Copies the packages that the workspaces need as they lie in `node_modules`, and answers with those that a manifest has
 * to name. They travel inside the package: an installation asks no registry, and is what was tested.
 */
export function copyDependencies(root: string, { workspaces, into }: CopyOrder): Record<string, string> {
  const { packages, direct } = findProductionPackages(root, workspaces);
  for (const path of packages.keys()) copyPackage(join(root, path), join(into, path));
  return direct;
}

type CopyOrder = { workspaces: readonly string[]; into: string };

/** Nothing of it is run, and together it is more than half of what would be installed. */
const unusedFolders = /^(?:tests?|__tests__|benchmarks?|bench|examples?|docs|coverage)$/;
const unusedFiles = /\.(?:[cm]?ts|tsx|map|tsbuildinfo|markdown|md)$|^\./;
const legalFiles = /^(?:licen[cs]e|notice|copying)/i;

function copyPackage(from: string, to: string): void {
  if (!existsSync(from)) throw new Error(`${from} is missing: run npm ci`);
  cpSync(from, to, {
    recursive: true,
    dereference: true,
    filter: (path) => {
      const name = basename(path);
      if (path === from || legalFiles.test(name)) return true;
      if (name === 'node_modules' || unusedFiles.test(name)) return false;
      // Only at its root: deeper, a folder of this name may be code.
      return relative(from, path) !== name || !unusedFolders.test(name);
    },
  });
}
