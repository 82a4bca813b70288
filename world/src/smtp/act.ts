import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FaultAt, Injection, Phase } from './temper.ts';

/**
 * Acts: the answers of a host to commands, as data. `session.ts` decides on the right act, `faultAct` and `fuzzAct`
 * spoil it, `perform` carries it out. `text` holds bytes, one per character (latin1), so that a reply can also be no
 * text.
 */
export type Act =
  /** Says it, then does `then`. */
  | { kind: 'say'; text: string; then: Aftermath }
  /** Says something that leaves every client out of step. */
  | { kind: 'mislead'; text: string; then: Aftermath }
  /** Says it a byte at a time. */
  | { kind: 'drip'; text: string; everyMs: number; then: Aftermath }
  /** Says it, then never speaks again. */
  | { kind: 'fall_silent'; text: string }
  /** Says it, then resets the connection. */
  | { kind: 'reset'; text: string }
  /** Says it, then sends the chunk over and over, as fast as the client reads, up to a maximum. */
  | { kind: 'pour'; text: string; chunk: string };

/** The step after a reply: the next command, FIN, the end with unsent bytes lost, or a TLS handshake. */
export type Aftermath = 'next' | 'close' | 'vanish' | 'start_tls';

/** Turns a reply of a description (lines joined by `\n`) into the bytes on the wire. */
export function wire(reply: string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  return `${asBytes(reply, encoding).replaceAll('\n', '\r\n')}\r\n`;
}

/** Returns one byte per character. */
function asBytes(text: string, encoding: 'utf8' | 'latin1'): string {
  return Buffer.from(text, encoding).toString('latin1');
}

export type Wire = {
  /** The socket, or TLS over it. */
  stream: Duplex;
  /** The TCP connection itself, for resets. */
  socket: Socket;
  /** Replies of a pipelined group are gathered here and go out together. */
  unsent: string;
  /** A misleading reply was sent, so the client cannot be in step. */
  outOfStep: boolean;
};

/** `stuck`: the host answers nothing more, or `finish` is called when the act is done. */
type Progress = Aftermath | 'stuck' | 'gone';

/** An endless reply ends here, so that the load on the machine has a bound. */
const mostPoured = 16 * 1_048_576;

export function flush(wire: Wire): void {
  if (wire.unsent !== '' && wire.stream.writable) wire.stream.write(wire.unsent, 'latin1');
  wire.unsent = '';
}

/** Carries out an act on the connection. */
export function perform(wire: Wire, act: Act, finish: (then: Aftermath) => void): Progress {
  switch (act.kind) {
    case 'say':
      wire.unsent += act.text;
      return act.then;
    case 'mislead':
      wire.unsent += act.text;
      wire.outOfStep = true;
      return act.then;
    case 'drip':
      flush(wire);
      drip(wire, act, () => finish(act.then));
      return 'stuck';
    case 'fall_silent':
      wire.unsent += act.text;
      flush(wire);
      return 'stuck';
    case 'reset':
      resetAfter(wire, act.text);
      return 'gone';
    case 'pour':
      wire.unsent += act.text;
      flush(wire);
      pour(wire, act.chunk, mostPoured);
      return 'stuck';
  }
}

/** Resets once the text is on its way: a reset discards unsent bytes. */
function resetAfter(wire: Wire, text: string): void {
  const last = wire.unsent + text;
  wire.unsent = '';
  if (last === '') wire.socket.resetAndDestroy();
  else wire.stream.write(last, 'latin1', () => wire.socket.resetAndDestroy());
}

function drip(wire: Wire, act: { text: string; everyMs: number }, done: () => void): void {
  let sent = 0;
  const next = () => {
    if (!wire.stream.writable) return;
    wire.stream.write(act.text.charAt(sent), 'latin1');
    sent += 1;
    // The act is done with its last byte, not a pause later: the client may answer at once.
    if (sent >= act.text.length) done();
    else if (act.everyMs > 0) setTimeout(next, act.everyMs).unref();
    else setImmediate(next);
  };
  next();
}

function pour(wire: Wire, chunk: string, bytesLeft: number): void {
  if (!wire.stream.writable || bytesLeft <= 0) return;
  wire.stream.write(chunk, 'latin1', () => pour(wire, chunk, bytesLeft - chunk.length));
}

type RightAct = Extract<Act, { kind: 'say' }>;

/** Returns the act that a fault makes of the right one. */
export function faultAct(struck: FaultAt, right: RightAct, hostName: string): Act {
  const { fault, phase } = struck;
  const { text, then } = right;
  // A banner breaks off after its first line; at `connect` nothing is said at all.
  const begun = phase === 'banner' ? wire(`220-${hostName} ESMTP`) : '';
  const code = text.slice(0, 3);
  const mislead = (misleading: string): Act => ({ kind: 'mislead', text: misleading, then });
  switch (fault) {
    case 'fin':
      return { kind: 'say', text: begun, then: 'close' };
    case 'rst':
      return { kind: 'reset', text: begun };
    case 'silence':
      return { kind: 'fall_silent', text: begun };
    case 'drip':
      return { kind: 'drip', text, everyMs: struck.dripEveryMs ?? 1_000, then };
    case 'reply_421':
      return { kind: 'say', text: wire(`421 4.3.2 ${hostName} Service not available`), then: 'close' };
    case 'reply_4xx':
      return refusal(phase, '451 4.3.0 Temporary server error, try again later');
    case 'reply_5xx':
      return refusal(phase, '554 5.3.5 System incorrectly configured');
    case 'garbage':
      return { kind: 'mislead', text: '\xff\xfe\x01k\x80%%%\r\nno reply at all\r\n', then: 'next' };
    case 'endless_line':
      return { kind: 'pour', text: `${code} `, chunk: 'x'.repeat(16_384) };
    case 'endless_reply':
      return { kind: 'pour', text: '', chunk: wire(`${code}-and so on`).repeat(512) };
    case 'early_reply':
      return mislead(`${text}${wire('250 2.1.5 Ok')}`);
    case 'control_bytes':
      return mislead(`${code} n\0u\0l\n${code} and a bare line feed\n`);
    case 'half_reply':
      return { kind: 'say', text: text.slice(0, Math.ceil(text.length / 2)), then: 'close' };
    case 'flood':
      return { kind: 'pour', text, chunk: wire('250 2.1.5 Ok').repeat(512) };
    case 'code_999':
      return mislead(wire('999 9.9.9 What code is this'));
    case 'code_354':
      return mislead(wire('354 Go ahead'));
    case 'code_changes':
      return mislead(wire('250-2.1.5 Ok\n550-5.1.1 User unknown\n451 4.3.0 Or not'));
    case 'bare_lf':
      return mislead(text.replaceAll('\r', ''));
    case 'nul_bytes':
      return mislead(text.replaceAll(' ', ' \0'));
    case 'code_alone':
      return { kind: 'say', text: wire(code), then };
    case 'split_bytes':
      return { kind: 'drip', text, everyMs: 0, then };
    case 'http':
      return { kind: 'say', text: wire('HTTP/1.1 400 Bad Request\nConnection: close\n'), then: 'close' };
    case 'ssh':
      return mislead(wire('SSH-2.0-OpenSSH_9.9'));
  }
}

export function injectedAct(injection: Injection, right: RightAct): Act {
  const injected = wire(injection.reply);
  const text = injection.place === 'before' ? injected + right.text : right.text + injected;
  return { kind: 'mislead', text, then: right.then };
}

/** A refusal at the connection closes at once; a later one waits for QUIT. */
function refusal(phase: Phase, reply: string): Act {
  return { kind: 'say', text: wire(reply), then: phase === 'connect' ? 'close' : 'next' };
}

/** The next number, from 0 up to but not including 1. */
export type Random = () => number;

/** A small generator (mulberry32). Its numbers need not be good, only reproducible. */
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

/** Replaces or mangles a reply at random. The same seed gives the same replies. */
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

/** Overwrites, drops or doubles up to four bytes. */
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
