import { dirname } from 'node:path';
import { files, read } from './source-tree.ts';

/**
 * Counts the sentences that have to be read twice, in comments and pages. `tidy.test.ts` fails if a folder has more
 * than 2 % of them. The patterns are a ceiling and no guide: a good sentence has a thing of the field as its subject.
 *
 *     node scripts/plain-words.ts engine docs/api.md     prints these sentences, and their share for each folder
 */

/** Folders and pages that are held to the ceiling, each with everything in it. */
export const heldPlaces: readonly string[] = [
  'engine',
  'service',
  'client',
  'cli',
  'console',
  'world',
  'bench',
  'scripts',
  'docs',
  'README.md',
  'SECURITY.md',
];

export const mostPercent = 2;

type Share = { place: string; sentences: number; hard: readonly string[] };

const mostWords = 32;

/** Shorter fragments are labels. */
const leastWords = 4;

/** Clauses in place of a subject: "What is kept …", "Whoever asks …", "Where it is known …". */
const hangs =
  /^(?:(?:and|but|so|then|or|nor)\s+)?(?:what|who|whoever|whatever|those|nobody|somebody|one (?:that|who)|none|where)\b/i;

const hangsInside = /\b(?:whoever|nobody|somebody|so many)\b|[,:;] (?:where|who|what)\b/i;

export function isHard(sentence: string): boolean {
  const words = sentence.split(' ').length;
  if (words < leastWords) return false;
  return words > mostWords || hangs.test(sentence) || hangsInside.test(sentence);
}

/** Returns the sentences of a file's comments, or of a page. Drawings, tables, headings and code are left out. */
export function sentencesOf(file: string, text: string): string[] {
  const prose = file.endsWith('.md') ? proseOfPage(text) : proseOfComments(text);
  return prose
    .split(/\n\s*\n/)
    .flatMap((block) =>
      block
        .split(/\s+/)
        .filter(Boolean)
        .join(' ')
        .split(/(?<=[.?!]) /),
    )
    .filter((sentence) => sentence.split(' ').length >= leastWords);
}

function proseOfPage(text: string): string {
  return text
    .replace(/^ *```.*\n(?:.*\n)*? *```$/gm, '')
    .replace(/^(?:#|\|| {4}).*$/gm, '')
    .replace(listMark, '\n');
}

/** Keeps the comments that have lines of their own; each becomes a block. */
function proseOfComments(text: string): string {
  const comments = text.match(/^ *\/\*[\s\S]*?\*\/|^ *\/\/.*(?:\n *\/\/.*)*/gm) ?? [];
  return comments
    .map((comment) =>
      comment
        .replace(/^ *\/\*+|\*\/$/g, '')
        .replace(/^ *(?:\/\/|\*)/gm, '')
        .replace(/^ {5}.*$/gm, '')
        .replace(listMark, '\n'),
    )
    .join('\n\n');
}

/** An item of a list is a block of its own. */
const listMark = /^ *(?:[-*>]|\d+\.) /gm;

/** Returns the sentences under these places, by folder; a page counts by itself. */
export function sharesUnder(places: readonly string[]): Share[] {
  const under = files.filter(
    (file) =>
      /\.(?:tsx?|m?js|css|md)$/.test(file) &&
      !file.startsWith('bench/results/') &&
      places.some((place) => file === place || file.startsWith(`${place.replace(/\/$/, '')}/`)),
  );
  return [...Map.groupBy(under, placeOf)].map(([place, inside]) => {
    const all = inside.flatMap((file) =>
      sentencesOf(file, read(file)).map((sentence) => ({ file, sentence })),
    );
    const hard = all.filter(({ sentence }) => isHard(sentence));
    return { place, sentences: all.length, hard: hard.map(({ file, sentence }) => `${file}: ${sentence}`) };
  });
}

/** Returns the folder that a file is counted in, three levels deep at most: `engine/src/dns`. */
function placeOf(file: string): string {
  return file.endsWith('.md') ? file : dirname(file).split('/').slice(0, 3).join('/');
}

export function percentOf({ sentences, hard }: Share): number {
  return sentences === 0 ? 0 : (100 * hard.length) / sentences;
}

/** Returns the hard sentences of every held folder that has more than its share of them. */
export function tooHard(): string[] {
  return sharesUnder(heldPlaces).flatMap((share) => (percentOf(share) > mostPercent ? share.hard : []));
}

if (import.meta.main) {
  const named = process.argv.slice(2);
  const shares = sharesUnder(named.length > 0 ? named : heldPlaces);
  const lines = shares.flatMap(({ hard }) => hard);
  const table = shares.map(
    (share) => `${percentOf(share).toFixed(1).padStart(5)} %  of ${share.sentences} in ${share.place}`,
  );
  process.stdout.write(`${[...lines, ...table].join('\n')}\n`);
}
