import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';

/** The repository as tidy.test.ts looks at it: its files, their text and their imports. */

export const root = resolve(import.meta.dirname, '..');
export const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));
export const packages = ['engine', 'service', 'cli', 'client', 'console', 'world'];
export const sources = files.filter((file) => /\.tsx?$/.test(file));
export const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);
/** The files that ship: everything under `src` except tests. */
export const production = sources.filter((file) => /^[^/]+\/src\//.test(file) && !isTest(file));
export const productionOf = (home: string): string[] =>
  production.filter((file) => file.startsWith(`${home}/src/`));
const texts = new Map<string, string>();

export function read(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
  texts.set(file, text);
  return text;
}

type Arrow = { from: string; to: string };

/** An import or re-export, of types too; `import '…'` and `import('…')` as well. */
const importPattern =
  /^(?:import|export) [^;'"]*\bfrom '(?<named>[^']+)'|(?:^import |\bimport\()'(?<bare>[^']+)'/gm;

/** Every import of ours as repository paths; `@mailproof/x` reads as `x/`. */
export function importsOf(file: string): Arrow[] {
  return [...read(file).matchAll(importPattern)].flatMap(({ groups }): Arrow[] => {
    const specifier = groups?.['named'] ?? groups?.['bare'] ?? '';
    if (specifier.startsWith('.')) return [{ from: file, to: normalize(join(dirname(file), specifier)) }];
    if (specifier.startsWith('@mailproof/')) return [{ from: file, to: `${specifier.slice(11)}/` }];
    return [];
  });
}

/** One circle through each knot of arrows, written `a → b → a`. */
export function findCircles(arrows: readonly Arrow[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of arrows) {
    if (from !== to) next.set(from, (next.get(from) ?? new Set()).add(to));
  }
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (at: string, path: string[]): void => {
    const seen = path.indexOf(at);
    if (seen !== -1) circles.push([...path.slice(seen), at].join(' → '));
    if (seen !== -1 || done.has(at)) return;
    for (const to of next.get(at) ?? []) walk(to, [...path, at]);
    done.add(at);
  };
  for (const start of [...next.keys()].sort()) walk(start, []);
  return circles;
}
