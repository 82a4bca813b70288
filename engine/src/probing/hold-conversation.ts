import type { Socket } from 'node:net';
import type { Destination } from '../politeness/policy.ts';
import type { DialNews } from '../routes/watch-mail-port.ts';
import { closeQuestions, deliver, giveBack, mostReturns, suffer } from './end-talk.ts';
import type { SessionOutcome } from '../politeness/session-outcome.ts';
import { interpretReply } from './interpret-reply.ts';
import type { Fate } from './no-answer.ts';
import { openConversation, type Setback } from '../smtp/open-conversation.ts';
import { sayGoodbye } from '../smtp/say-goodbye.ts';
import { startTalk, type Supply, type Talk, type TalkParts } from './talk.ts';
import { talkThrough } from './talk-through.ts';

/**
 * One conversation with one mail host, from dialling to goodbye, about as many addresses as wait for it
 * and as its policy allows.
 *
 * Every probe it takes is settled or given back, however it ends. Answers are delivered after the
 * goodbye, for only then is it known that they were in step (docs/decisions/0003).
 */
export async function holdConversation(
  destination: Destination,
  supply: Supply,
  parts: TalkParts,
): Promise<SessionOutcome | undefined> {
  const talk = startTalk(destination, supply, parts);
  // The one it is begun for; by the time the host has greeted, more may be waiting.
  talk.takeOn(supply.take(1));
  if (talk.isAbandoned()) return undefined;
  try {
    const dialled = await parts.route.dial(destination.target, talk.patience);
    if (dialled.kind === 'failed' && dialled.why === 'route_down') {
      // Nothing was learnt about the host: another way out may reach it.
      giveBackOrGiveUp(talk);
      return undefined;
    }
    noteMailPort(talk, dialled.kind === 'connected' ? 'connected' : dialled.why);
    if (dialled.kind === 'connected') await converse(talk, dialled.socket);
    else notConnected(talk);
    return talk.outcome;
  } catch (error) {
    // Everybody who asked has left: there is nobody to tell.
    if (!talk.isAbandoned()) fail(talk, error);
    return talk.outcome;
  } finally {
    closeQuestions(talk);
  }
}

async function converse(talk: Talk, socket: Socket): Promise<void> {
  const { parts, patience, destination } = talk;
  const opened = await openConversation({ socket, host: destination.target.host }, parts, patience);
  const connection = opened.kind === 'open' ? opened.conversation.connection : opened.connection;
  try {
    if (opened.kind !== 'open') shareTheFate(talk);
    const setback = opened.kind === 'open' ? await talkThrough(talk, opened.conversation) : opened;
    const fate = setback === undefined ? undefined : noteFate(talk, setback);
    deliver(talk, await sayGoodbye(connection, parts, patience));
    if (fate === undefined) giveBack(talk, talk.pending);
    else suffer(talk, fate);
  } finally {
    connection.destroy();
  }
}

/** A forbidden address was never dialled, and so says nothing about the port. */
function noteMailPort({ parts, destination }: Talk, outcome: DialNews | 'forbidden'): void {
  if (outcome !== 'forbidden') parts.mailPort.note(destination.target.address, outcome);
}

function giveBackOrGiveUp(talk: Talk): void {
  for (const probe of talk.pending.filter(({ returns }) => returns >= mostReturns))
    probe.settle({ kind: 'not_connected' });
  giveBack(talk, talk.pending);
}

/** What befell the one that a conversation was begun for would have befallen those behind it. */
function shareTheFate(talk: Talk): void {
  talk.takeOn(talk.supply.take(talk.destination.policy.politeness.recipientsPerConversation));
}

function notConnected(talk: Talk): void {
  talk.outcome.connected = false;
  shareTheFate(talk);
  for (const probe of talk.pending) probe.settle({ kind: 'not_connected' });
}

/** A defect of ours: whoever was asked for hears of it as an error, not as an answer. */
function fail(talk: Talk, error: unknown): void {
  const probes = [...talk.pending, ...talk.named, ...talk.held.map(({ probe }) => probe)];
  for (const probe of probes) probe.fail(error);
}

/** Takes note of how it ended, and reads the refusal where it ended by one: once, for all who hear of it. */
function noteFate({ outcome, destination, parts }: Talk, setback: Setback): Fate {
  if (setback.kind === 'broken') {
    outcome.fault = setback.fault;
    return setback;
  }
  const { meaning, read } = interpretReply(setback, destination.target.host, parts);
  outcome.turnedAway = { reply: setback.reply, meaning };
  const { kind, phase, reply } = setback;
  return { kind, phase, reply, meaning, read };
}
