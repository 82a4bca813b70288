import type { Reply } from '../smtp/reply-reader.ts';
import { isAccepted } from './exchange-group.ts';
import type { Step } from './plan-group.ts';

/**
 * What the replies to a group say of each recipient that it named. Pure: whom a reply is for, and whether
 * it is one at all; what it means is the business of the rules.
 */
export type RecipientStep = Extract<Step, { kind: 'target' | 'random_probe' }>;

export type RecipientReading =
  | { kind: 'answered'; step: RecipientStep; reply: Reply }
  /** The host would take this recipient in a transaction of its own. */
  | { kind: 'put_off'; step: RecipientStep; reply: Reply }
  /** Its transaction was turned down at MAIL, or the host said 421 and left. */
  | { kind: 'turned_away'; step: RecipientStep; phase: 'mail' | 'rcpt'; reply: Reply }
  | { kind: 'unanswered'; step: RecipientStep };

export function readGroup(
  steps: Step[],
  replies: readonly (Reply | undefined)[],
  /** Recipients that the transaction holds which was open before this group. */
  alreadyInTransaction: number,
): RecipientReading[] {
  const readings: RecipientReading[] = [];
  let mailRefusal: Reply | undefined;
  let inTransaction = alreadyInTransaction;
  for (const [index, step] of steps.entries()) {
    const reply = replies[index];
    switch (step.kind) {
      case 'rset':
        break;
      case 'mail':
        inTransaction = 0;
        mailRefusal = reply === undefined || isAccepted(reply) ? undefined : reply;
        break;
      case 'target':
      case 'random_probe':
        readings.push(readRecipient(step, reply, { mailRefusal, inTransaction }));
        if (reply !== undefined && isAccepted(reply)) inTransaction += 1;
        break;
    }
  }
  return readings;
}

function readRecipient(
  step: RecipientStep,
  reply: Reply | undefined,
  { mailRefusal, inTransaction }: { mailRefusal: Reply | undefined; inTransaction: number },
): RecipientReading {
  if (mailRefusal !== undefined) return { kind: 'turned_away', step, phase: 'mail', reply: mailRefusal };
  if (reply === undefined) return { kind: 'unanswered', step };
  if (reply.code === 421) return { kind: 'turned_away', step, phase: 'rcpt', reply };
  return { kind: inTransaction > 0 && wantsOwnTransaction(reply) ? 'put_off' : 'answered', step, reply };
}

const onlyOneWords =
  /\b(?:too many recipients|one recipient|single recipient|separate transaction|multiple (?:destination|recipient))/i;

/** "Too many recipients" after the first one: the host would answer in another transaction (RFC 3463 x.5.3). */
function wantsOwnTransaction({ code, enhanced, lines }: Reply): boolean {
  if (code < 400) return false;
  return code === 452 || enhanced?.endsWith('.5.3') === true || onlyOneWords.test(lines.join(' '));
}
