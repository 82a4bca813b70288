import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isHard, sentencesOf, sharesUnder } from './plain-words.ts';

describe('a sentence has to be read twice', () => {
  const hard = [
    'What nobody asks now, of one asker.',
    'Who pays is the refused client.',
    'Where all of these have waited, the oldest goes.',
    'and those that are left come last',
    'One that is denied outweighs all others.',
    'None of the three makes room for another.',
    'It reaches whoever asked for it.',
    'Told of each lookup that nobody answered.',
    'After so many refusals the host hangs up.',
    'A queue of one host, where probes wait.',
    `The host ${'waits and '.repeat(16)}ends.`,
  ];
  for (const sentence of hard) test(sentence.slice(0, 60), () => assert.equal(isHard(sentence), true));
});

describe('a sentence is plain', () => {
  const plain = [
    'Returns the verdict of one address.',
    'If no address has an owner, callers wait.',
    'The caller whose time is up gets what was found.',
    'Who pays?',
    `The host ${'waits and '.repeat(14)}ends.`,
  ];
  for (const sentence of plain) test(sentence.slice(0, 60), () => assert.equal(isHard(sentence), false));
});

test('comments are read as sentences, over lines and without drawings, lists apart', () => {
  const text = `
/**
 * The first sentence goes over
 * two lines of comment. The second one follows here.
 *
 *     a drawing ──▶ that is not a sentence at all
 *
 * - an item of a list
 * - another item of it
 */
const url = 'https://example.com/ is no comment of ours';
  // A note on a line
  // and on the next one
call(); // the end of a line of code
`;
  assert.deepEqual(sentencesOf('a.ts', text), [
    'The first sentence goes over two lines of comment.',
    'The second one follows here.',
    'an item of a list',
    'another item of it',
    'A note on a line and on the next one',
  ]);
});

test('pages are read as sentences, without headings, tables and code', () => {
  const text = `# What a heading says here

Text that goes over
two lines. And more of it.

| what | who is in a table |

    what is code by its margin

\`\`\`
what is code in a fence
\`\`\`

- an item of a list
- another item of it
`;
  assert.deepEqual(sentencesOf('a.md', text), [
    'Text that goes over two lines.',
    'And more of it.',
    'an item of a list',
    'another item of it',
  ]);
});

test('folders are counted three levels deep, and what is not named is left out', () => {
  const places = sharesUnder(['engine/src']).map(({ place }) => place);
  assert.ok(places.includes('engine/src') && places.includes('engine/src/dns'), places.join());
  assert.deepEqual(
    places.filter((place) => !place.startsWith('engine/src') || place.split('/').length > 3),
    places.filter((place) => place.endsWith('.md')),
  );
  assert.ok(sharesUnder(['engine/src/dns']).every(({ sentences }) => sentences > 100));
});
