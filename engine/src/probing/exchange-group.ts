import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import { broken, readReply, type Conversation, type Setback } from '../smtp/open-conversation.ts';
import type { Step } from './plan-group.ts';
import type { Reply } from '../smtp/reply-reader.ts';

/**
 * Says a group of commands and reads what comes back. With PIPELINING (RFC 2920) all leave in one segment
 * and cost one round trip; without it each waits for the reply before, and nobody is named to a
 * transaction that was refused. Where the line breaks, what was read until then is kept.
 */
type Exchanged = {
  /** The reply to each step, in order; absent where none came or the step was not said. */
  replies: (Reply | undefined)[];
  broken: (Setback & { kind: 'broken' }) | undefined;
};

export async function exchangeGroup(
  { connection, capabilities }: Conversation,
  steps: Step[],
  { clock, limits, patience }: { clock: Clock; limits: Limits; patience: Patience },
): Promise<Exchanged> {
  const replies: (Reply | undefined)[] = [];
  if (capabilities.pipelining) connection.send(steps.map((step) => step.command));
  let refused = false;
  for (const step of steps) {
    if (step.kind === 'rset' || step.kind === 'mail') refused = false;
    if (!capabilities.pipelining && refused) {
      replies.push(undefined);
      continue;
    }
    if (!capabilities.pipelining) connection.send([step.command]);
    const answer = await readReply(connection, waitFor(step, limits), { clock, patience });
    if (answer.kind === 'fault') return { replies, broken: broken(step.phase, answer) };
    replies.push(answer.reply);
    if (step.kind === 'mail') refused = !isAccepted(answer.reply);
  }
  return { replies, broken: undefined };
}

export function isAccepted(reply: Reply): boolean {
  return reply.code >= 200 && reply.code < 300;
}

function waitFor(step: Step, limits: Limits): number {
  switch (step.kind) {
    case 'rset':
      return limits.rsetMs;
    case 'mail':
      return limits.mailMs;
    case 'target':
    case 'random_probe':
      return limits.rcptMs;
  }
}
