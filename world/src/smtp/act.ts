/**
 * What a host does in answer to a command. Deciding (`session.ts`, `fault-act.ts`) and doing
 * (`converse.ts`) are apart: an act is data.
 */
export type Act =
  /** Says it and goes on. `text` is in wire form. */
  | { kind: 'say'; text: string }
  /** Says it, then closes with FIN. */
  | { kind: 'close'; text: string }
  /** Says it, then resets. */
  | { kind: 'reset'; text: string }
  /** Says it, then never speaks again. */
  | { kind: 'fall_silent'; text: string }
  /** Sends bytes after which no client can know where it is. */
  | { kind: 'break'; bytes: Buffer }
  /** Says it a byte at a time. */
  | { kind: 'drip'; text: string; everyMs: number }
  /** Sends the chunk over and over, as fast as the client reads, up to a maximum. */
  | { kind: 'pour'; text: string; chunk: string }
  /** Says it, then expects a TLS handshake. */
  | { kind: 'start_tls'; text: string };

/** From the form of descriptions (lines joined by `\n`) to the form on the wire. */
export function wire(reply: string): string {
  return `${reply.replaceAll('\n', '\r\n')}\r\n`;
}
