import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

const pages = [
  'README.md',
  'client/README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** A number with a unit of measurement, or a ratio. */
const figure = /\d\s?(?:[µmn]?s|[kMG]B|%)(?!\w)|\d times\b/;

/** Returns the sentences that point at results of benchmarks and repeat a figure of them by hand. */
function restatedFigures(text: string): string[] {
  const written = text.replaceAll(/<!-- (?<part>\w+) -->[\s\S]*?<!-- \/\k<part> -->/g, '');
  return written
    .split(/\n\s*\n|\n(?=- )/)
    .flatMap((paragraph) => paragraph.replaceAll(/\s+/g, ' ').split(/(?<=[.?!]) (?=\S)/))
    .filter((sentence) => sentence.includes('bench/results/') && figure.test(sentence));
}

test('no page repeats a figure of bench/results by hand: it is generated, or the page points at the results', () => {
  assert.ok(pages.some((page) => readFileSync(join(root, page), 'utf8').includes('bench/results/')));
  assert.deepEqual(
    pages.flatMap((page) =>
      restatedFigures(readFileSync(join(root, page), 'utf8')).map((sentence) => `${page}: ${sentence}`),
    ),
    [],
  );
});

test('a restated figure is found; a generated one is not', () => {
  const link = '([figures](../bench/results/lists.md))';
  assert.equal(restatedFigures(`It takes 377 MB ${link}.`).length, 1);
  assert.equal(restatedFigures(`Four do 3.9 times as much\nas one ${link}.`).length, 1);
  assert.equal(restatedFigures(`A list has at most 200 MB. Memory is measured ${link}.`).length, 0);
  assert.equal(restatedFigures(`<!-- costs -->\n\n5 ms ${link}\n\n<!-- /costs -->`).length, 0);
});
