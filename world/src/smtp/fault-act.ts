/** What becomes of a host's right act when a fault or an injection strikes it. */
import { wire } from './act.ts';
import type { Act } from './act.ts';
import type { FaultAt, Injection, Phase } from './fault.ts';

type RightAct = Extract<Act, { kind: 'say' }>;

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

/** Said at the connection, the host closes at once; said later, it waits for QUIT. */
function refusal(phase: Phase, reply: string): Act {
  return { kind: 'say', text: wire(reply), then: phase === 'connect' ? 'close' : 'next' };
}
