import type { Reply } from './reply-reader.ts';

const tlsWords = /\b(?:starttls|tls|encryption)\b/i;
const demandWords = /\b(?:must|required?|requires|needed|first|mandatory|only)\b/i;

/**
 * Whether a refusal asks for STARTTLS: 530 is made for it (RFC 3207 section 4), and hosts say the same
 * with other codes (Exchange 451 5.7.3, Gmail 421 4.7.0, RFC 7817's 5.7.10).
 */
export function demandsTls(reply: Reply): boolean {
  if (reply.code < 400) return false;
  if (reply.enhanced === '5.7.10') return true;
  const text = reply.lines.join(' ');
  return tlsWords.test(text) && (reply.code === 530 || demandWords.test(text));
}
