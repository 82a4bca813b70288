import type { CanonicalHost } from '../syntax/address.ts';
import type { Limits } from '../limits.ts';

/**
 * The commands this client can say, and the only place that turns them into bytes. There is no DATA,
 * VRFY or EXPN here, so none can be sent.
 */
export type Command =
  | { verb: 'EHLO' | 'HELO'; name: string }
  | { verb: 'STARTTLS' | 'RSET' | 'QUIT' }
  | { verb: 'MAIL'; from: string; smtputf8: boolean }
  | { verb: 'RCPT'; localPart: string; host: CanonicalHost; smtputf8: boolean };

/**
 * Serialises a command, to be written as UTF-8. Refuses bytes that could end the line early or smuggle a second
 * command in: control bytes always, bytes beyond ASCII unless the transaction is SMTPUTF8 (RFC 6531). Addresses were
 * parsed before they came here, so a refusal is a defect of ours and throws.
 */
export function encodeCommand(command: Command, limits: Limits): string {
  const line = wordsOf(command);
  const mayBeUtf8 = 'smtputf8' in command && command.smtputf8;
  if (!(mayBeUtf8 ? withoutControls : printableAscii).test(line)) {
    throw new Error(`${command.verb} would carry a byte that must not go on the wire`);
  }
  const bytes = (mayBeUtf8 ? Buffer.byteLength(line, 'utf8') : line.length) + lineEnd.length;
  if (bytes > limits.commandBytes) throw new Error(`${command.verb} is longer than a command may be`);
  return line + lineEnd;
}

const lineEnd = '\r\n';

const printableAscii = /^[\x20-\x7e]*$/;
const withoutControls = /^[\x20-\x7e\u{80}-\u{10FFFF}]*$/u;

function wordsOf(command: Command): string {
  switch (command.verb) {
    case 'EHLO':
    case 'HELO':
      return `${command.verb} ${command.name}`;
    case 'STARTTLS':
    case 'RSET':
    case 'QUIT':
      return command.verb;
    case 'MAIL':
      return `MAIL FROM:<${command.from}>${command.smtputf8 ? ' SMTPUTF8' : ''}`;
    case 'RCPT':
      return `RCPT TO:<${command.localPart}@${command.host}>`;
  }
}
