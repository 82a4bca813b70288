/**
 * What a host does in answer to a command. Deciding (`session.ts`, `fault-act.ts`) and doing
 * (`perform.ts`) are apart: an act is data. `text` holds bytes, one a character (latin1), so that
 * what is no text can be said as well.
 */
export type Act =
  /** Says it, and what it leads to follows. */
  | { kind: 'say'; text: string; then: Aftermath }
  /** Says something after which no client can know where it is. */
  | { kind: 'mislead'; text: string; then: Aftermath }
  /** Says it a byte at a time. */
  | { kind: 'drip'; text: string; everyMs: number; then: Aftermath }
  /** Says it, then never speaks again. */
  | { kind: 'fall_silent'; text: string }
  /** Says it, then resets the connection. */
  | { kind: 'reset'; text: string }
  /** Says it, then sends the chunk over and over, as fast as the client reads, up to a maximum. */
  | { kind: 'pour'; text: string; chunk: string };

/** What follows a reply: the next command, the end (FIN), the end with all that is not yet sent lost, or a TLS handshake. */
export type Aftermath = 'next' | 'close' | 'vanish' | 'start_tls';

/** From the form of descriptions (lines joined by `\n`) to the bytes on the wire. */
export function wire(reply: string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  return `${asBytes(reply, encoding).replaceAll('\n', '\r\n')}\r\n`;
}

/** One byte a character. */
function asBytes(text: string, encoding: 'utf8' | 'latin1'): string {
  return Buffer.from(text, encoding).toString('latin1');
}
