import type { PackageFiles } from './fetch-package.ts';
import type { SourcePackage } from './packages.ts';

/** A package that the lists are built from, read: the names in it, and the notice that goes with them. */
export type ReadSource = { source: SourcePackage; version: string; names: string[]; licence: string };

/** Throws, naming the package, where it has not the files or the form that it had. */
export function readSource(source: SourcePackage, version: string, files: PackageFiles): ReadSource {
  const text = (path: string): string => {
    const file = files.get(path);
    if (file === undefined) throw new Error(`${source.name}@${version}: no ${path}`);
    return file.toString('utf8');
  };
  const names = source.names(text(source.dataFile));
  if (names.length === 0) throw new Error(`${source.name}@${version}: no names in ${source.dataFile}`);
  return { source, version, names, licence: text(source.licenceFile) };
}

/** Names taken from a package carry that package's notice, word for word. */
export function noticeFor(read: readonly ReadSource[]): string {
  const parts = read.map(
    ({ source, version, licence }) =>
      `## ${source.name} ${version} (${source.licence})\n\n${licence.trim().replaceAll(/^/gm, '    ')}\n`,
  );
  return `# Notices for the data in this folder\n\nThe lists were built from these packages; see \`docs/lists.md\`.\n\n${parts.join('\n')}`;
}
