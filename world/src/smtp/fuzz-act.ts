/** Replies replaced or mangled at random, from a seed: the same seed tells the same story. */
import { wire } from './act.ts';
import type { Act } from './act.ts';

/** The next number, from 0 up to but not including 1. */
export type Random = () => number;

/** A small generator (mulberry32); quality matters little here, being reproducible does. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const strangeReplies = [
  '250 2.1.5 Ok',
  '550 5.1.1 User unknown',
  '250',
  '250-',
  '25',
  '',
  ' ',
  '2500 Ok',
  '250_Ok',
  '999 9.9.9 ?',
  '000 zero',
  '-250 Ok',
  '250 \0',
  '250-a\r\n550 b',
  '250-a\n250 b',
  '421 4.3.2 bye',
  '354 go on',
  '552 5.2.2 full',
  '220 again',
  '\u001b[31m250 red',
  '550-5.1.1',
  '1e2 Ok',
  '250 \u202Egnip',
  `250 ${'y'.repeat(3_000)}`,
];

export function fuzzAct(random: Random, right: Extract<Act, { kind: 'say' }>): Act {
  const { text, then } = right;
  const dice = random();
  if (dice < 0.35) return right;
  if (dice < 0.4) return { kind: 'say', text: begun(random, text), then: 'close' };
  if (dice < 0.43) return { kind: 'reset', text: '' };
  if (dice < 0.44) return { kind: 'fall_silent', text: begun(random, text) };
  if (dice < 0.46) return { kind: 'pour', text: '', chunk: strangeLines(random).repeat(100) };
  if (dice < 0.5) return { kind: 'drip', text, everyMs: 0, then };
  if (dice < 0.75) return { kind: 'mislead', text: wire(pick(random, strangeReplies)), then: 'next' };
  if (dice < 0.85) return { kind: 'mislead', text: text + strangeLines(random), then };
  return { kind: 'mislead', text: mutated(random, text), then: 'next' };
}

function begun(random: Random, text: string): string {
  return text.slice(0, Math.floor(random() * text.length));
}

function strangeLines(random: Random): string {
  const lines = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(random, strangeReplies));
  return lines.map((reply) => wire(reply)).join('');
}

/** Up to four bytes overwritten, dropped or doubled. */
function mutated(random: Random, text: string): string {
  const bytes = [...Buffer.from(text, 'latin1')];
  for (let edits = 1 + Math.floor(random() * 4); edits > 0; edits -= 1) {
    const at = Math.floor(random() * bytes.length);
    const kind = random();
    if (kind < 0.4) bytes[at] = Math.floor(random() * 256);
    else if (kind < 0.7) bytes.splice(at, 1);
    else bytes.splice(at, 0, bytes[at] ?? 0x0a);
  }
  return Buffer.from(bytes).toString('latin1');
}

function pick(random: Random, choices: string[]): string {
  return choices[Math.floor(random() * choices.length)] ?? '';
}
