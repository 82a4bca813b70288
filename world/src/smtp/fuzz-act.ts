/** Replies replaced or mangled at random, from a seed: the same seed tells the same story. */
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

export function fuzzAct(random: Random, right: Act): Act {
  const text = 'text' in right ? right.text : '';
  const dice = random();
  if (dice < 0.35) return right;
  if (dice < 0.4) return { kind: 'close', text: text.slice(0, Math.floor(random() * text.length)) };
  if (dice < 0.43) return { kind: 'reset', text: '' };
  if (dice < 0.44) return { kind: 'fall_silent', text: text.slice(0, Math.floor(random() * text.length)) };
  if (dice < 0.46)
    return { kind: 'pour', text: '', chunk: `${pick(random, strangeReplies)}\r\n`.repeat(300) };
  if (dice < 0.5) return { kind: 'drip', text, everyMs: 0 };
  if (dice < 0.75) return { kind: 'break', bytes: Buffer.from(`${pick(random, strangeReplies)}\r\n`) };
  if (dice < 0.85) return { kind: 'break', bytes: Buffer.from(text + strangeLines(random)) };
  return { kind: 'break', bytes: mutated(random, Buffer.from(text)) };
}

function strangeLines(random: Random): string {
  const lines = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(random, strangeReplies));
  return `${lines.join('\r\n')}\r\n`;
}

/** Up to four bytes overwritten, dropped or doubled. */
function mutated(random: Random, bytes: Buffer): Buffer {
  const list = [...bytes];
  for (let edits = 1 + Math.floor(random() * 4); edits > 0; edits -= 1) {
    const at = Math.floor(random() * list.length);
    const kind = random();
    if (kind < 0.4) list[at] = Math.floor(random() * 256);
    else if (kind < 0.7) list.splice(at, 1);
    else list.splice(at, 0, list[at] ?? 10);
  }
  return Buffer.from(list);
}

function pick(random: Random, choices: string[]): string {
  return choices[Math.floor(random() * choices.length)] ?? '';
}
