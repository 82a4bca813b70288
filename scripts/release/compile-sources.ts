import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { transform } from 'esbuild';

/**
 * Compiles the workspaces into a folder in which each file stands where it stands here. Node strips no types below
 * `node_modules`, so what is published is JavaScript with source maps; and what finds a file beside itself here (a
 * list, the console) finds it there. Workspaces are no packages any more, so their imports of each other become
 * relative.
 */
export async function compileSources(root: string, { workspaces, into }: CompileOrder): Promise<void> {
  const entries = new Map(workspaces.flatMap((workspace) => [...exportsOf(root, workspace)]));
  for (const workspace of workspaces) {
    for (const file of filesBelow(root, `${workspace}/src`)) {
      const target = join(into, file);
      mkdirSync(dirname(target), { recursive: true });
      if (file.endsWith('.ts')) await compileFile(root, { file, into, entries });
      else cpSync(join(root, file), target);
    }
  }
}

type CompileOrder = { workspaces: readonly string[]; into: string };

/** Returns the file, from the root, that a name such as `@mailproof/engine/nearest-name` stands for. */
type Entries = ReadonlyMap<string, string>;

function exportsOf(root: string, workspace: string): [string, string][] {
  const text = readFileSync(join(root, workspace, 'package.json'), 'utf8');
  const { name, exports = {} } = JSON.parse(text) as Manifest;
  const table = typeof exports === 'string' ? { '.': exports } : exports;
  return Object.entries(table).map(([entry, file]) => [join(name, entry), join(workspace, file)]);
}

type Manifest = { name: string; exports?: string | Record<string, string> };

/** Everything that ships: sources and data, no tests. Paths from the root, in order. */
function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

type CompileFile = { file: string; into: string; entries: Entries };

async function compileFile(root: string, { file, into, entries }: CompileFile): Promise<void> {
  const source = readFileSync(join(root, file), 'utf8');
  const { code, map } = await transform(withFilesForWorkspaces(source, file, entries), {
    loader: 'ts',
    target: 'node24',
    sourcemap: true,
    sourcefile: basename(file),
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  const compiled = join(into, file.replace(/\.ts$/, '.js'));
  writeFileSync(compiled, `${code}//# sourceMappingURL=${basename(compiled)}.map\n`);
  writeFileSync(`${compiled}.map`, map);
}

const specifier = /(?<before>\bfrom '|\bimport '|\bimport\(')(?<target>\.[^']+\.ts|@mailproof\/[^']+)(?=')/g;

/** Positions stay those of the source but for the columns of the imports. */
function withFilesForWorkspaces(source: string, file: string, entries: Entries): string {
  return source.replaceAll(specifier, (_, before: string, target: string) => {
    const named = target.startsWith('.') ? join(dirname(file), target) : entries.get(target);
    if (named === undefined)
      throw new Error(`${file} imports ${target}, which no workspace of the package exports`);
    const path = relative(dirname(file), named).replace(/\.ts$/, '.js');
    return `${before}${path.startsWith('.') ? path : `./${path}`}`;
  });
}
