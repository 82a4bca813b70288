import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

/** A defect that at least one of its tests must find: a text that stands once in a file, and what replaces it. */
export type Mutant = {
  name: string;
  file: string;
  find: string;
  replace: string;
  /** At least one of these fails. */
  tests: readonly string[];
  /** Why no test can find it. */
  survives?: string;
};

type Defect = readonly [find: string, replace: string, survives?: string];

/** The defects of one file, by name. */
export function defectsOf(
  file: string,
  tests: readonly string[],
  defects: Readonly<Record<string, Defect>>,
): Mutant[] {
  return Object.entries(defects).map(([name, [find, replace, survives]]) => ({
    name,
    file,
    find,
    replace,
    tests,
    ...(survives === undefined ? {} : { survives }),
  }));
}

const root = join(import.meta.dirname, '../..');

/** Why a mutant cannot be tried. A file that cannot be parsed would fail every test, which proves nothing. */
export function faultOf({ file, find, replace }: Mutant): string | undefined {
  const source = readFileSync(join(root, file), 'utf8');
  const times = source.split(find).length - 1;
  if (times !== 1) return `its text stands ${times} times in ${file}, not once`;
  try {
    stripTypeScriptTypes(source.replace(find, () => replace));
    return undefined;
  } catch (error) {
    return `${file} cannot be parsed with it: ${String(error)}`;
  }
}
