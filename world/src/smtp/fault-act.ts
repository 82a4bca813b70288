/** What becomes of a host's right act when a fault or an injection strikes it. */
import { wire } from './act.ts';
import type { Act } from './act.ts';
import type { Fault, Injection, Phase } from './fault.ts';

/** Slow enough that no reply is whole within a deadline of some seconds. */
const dripEveryMs = 1_000;

export function faultAct(struck: { phase: Phase; fault: Fault }, right: Act, hostName: string): Act {
  const { fault, phase } = struck;
  const text = 'text' in right ? right.text : '';
  // A banner breaks off after its first line; before `connect` nothing is said at all.
  const begun = phase === 'banner' ? `220-${hostName} ESMTP\r\n` : '';
  const code = text.slice(0, 3);
  switch (fault) {
    case 'fin':
      return { kind: 'close', text: begun };
    case 'rst':
      return { kind: 'reset', text: begun };
    case 'silence':
      return { kind: 'fall_silent', text: begun };
    case 'drip':
      return { kind: 'drip', text, everyMs: dripEveryMs };
    case 'reply_421':
      return { kind: 'close', text: wire(`421 4.3.2 ${hostName} Service not available, closing connection`) };
    case 'reply_4xx':
      return refusalAct(phase, '451 4.3.0 Temporary server error, try again later');
    case 'reply_5xx':
      return refusalAct(phase, '554 5.3.5 System incorrectly configured');
    case 'garbage':
      return {
        kind: 'break',
        bytes: Buffer.from('\u00ff\u00fe\u0001k\u0080%%%\r\nno reply at all\r\n', 'latin1'),
      };
    case 'endless_line':
      return { kind: 'pour', text: `${code} `, chunk: 'x'.repeat(16_384) };
    case 'endless_reply':
      return { kind: 'pour', text: '', chunk: `${code}-and so on\r\n`.repeat(512) };
    case 'early_reply':
      return broken(`${text}250 2.1.5 Ok\r\n`);
    case 'control_bytes':
      return broken(`${code} n\0u\0l\n${code} and a bare line feed\n`);
    case 'half_reply':
      return { kind: 'close', text: text.slice(0, Math.ceil(text.length / 2)) };
    case 'flood':
      return { kind: 'pour', text, chunk: '250 2.1.5 Ok\r\n'.repeat(512) };
    case 'code_999':
      return broken('999 9.9.9 What code is this\r\n');
    case 'code_354':
      return broken('354 Go ahead\r\n');
    case 'code_changes':
      return broken(`250-2.1.5 Ok\r\n550-5.1.1 User unknown\r\n451 4.3.0 Or not\r\n`);
    case 'bare_lf':
      return broken(text.replaceAll('\r', ''));
    case 'nul_bytes':
      return broken(text.replace(/ /g, ' \0'));
    case 'code_alone':
      return { ...right, text: wire(code) } as Act;
    case 'split_bytes':
      return { kind: 'drip', text, everyMs: 0 };
    case 'http':
      return {
        kind: 'close',
        text: 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
      };
    case 'ssh':
      return broken('SSH-2.0-OpenSSH_9.9\r\n');
  }
}

export function injectedAct(injection: Injection, right: Act): Act {
  if (!('text' in right)) return right;
  const injected = wire(injection.reply);
  const text = injection.place === 'before' ? injected + right.text : right.text + injected;
  return right.kind === 'say' ? broken(text) : { ...right, text };
}

/** A host that is not there for mail today says so and closes at once, or waits for QUIT. */
function refusalAct(phase: Phase, reply: string): Act {
  return { kind: phase === 'connect' ? 'close' : 'say', text: wire(reply) };
}

function broken(text: string): Act {
  return { kind: 'break', bytes: Buffer.from(text) };
}
