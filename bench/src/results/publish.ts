/** Prints a result; with `--write` it is kept beside the benchmark, to be committed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Result = { name: string; lines: string[]; figures: unknown };

const folder = join(import.meta.dirname, '../../results');

export function publish({ name, lines, figures }: Result, { write }: { write: boolean }): void {
  const text = `${lines.join('\n')}\n`;
  process.stdout.write(`\n${text}`);
  if (!write) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.md`), text);
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(figures, undefined, 2)}\n`);
}
