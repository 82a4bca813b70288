/**
 * Asks the configured servers until one answers: the next one after `dnsTryMs` of silence, at once
 * when a server declines (SERVFAIL, REFUSED …) or is not there, and round again until `dnsLookupMs`
 * or the caller's deadline. Earlier tries stay open: a recursive resolver that needs three seconds
 * for a slow zone is heard when it answers.
 *
 * Ways a lookup ends, besides an answer:
 * - every server was asked, one at least declined, and the others have had their time: its failure;
 * - the deadline: `malformed` if something unreadable came, else `silence`;
 * - the caller's signal: rejected with its reason;
 * - the resolver is closed: `silence`.
 */
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import { tracedLookups } from '../traced.ts';
import { askServer } from './ask-server.ts';
import type { ServerReply, WireParts } from './ask-server.ts';
import type { Semaphore } from './semaphore.ts';
import type { LookupFailure } from './lookup.ts';
import type { DnsAnswer, Ask, DnsServer, DnsQuestion } from './question.ts';

type AskServersParts = {
  servers: readonly DnsServer[];
  clock: Clock;
  limits: Limits;
  wire: WireParts;
  /** Bounds the lookups in flight. */
  lookups: Semaphore;
};

/** Why a lookup that waits for a place gives up. */
const lookupEnded = new Error('the lookup has ended');

export function createAskServers(parts: AskServersParts): { ask: Ask; close(): void } {
  const { clock, limits, lookups } = parts;
  const open = new Set<{ giveUp: () => void }>();
  // The server that answered last is asked first, so that a dead one costs its second only once.
  const favourite = { index: 0 };
  let closed = false;

  async function ask(question: DnsQuestion, patience: Patience): Promise<DnsAnswer> {
    const { signal } = patience;
    signal.throwIfAborted();
    const waitMs = Math.min(patience.deadline - clock.now(), limits.dnsLookupMs);
    if (closed || waitMs <= 0) return failed('silence');
    const deadline = clock.now() + waitMs;
    const release = lookups.acquireNow() ?? (await waitForPlace({ deadline, signal }));
    if (release === undefined) return failed('silence');
    try {
      const lookUp = () => endedBy(signal, startLookup({ question, deadline }, parts, favourite));
      return await tracedLookups.tracePromise(lookUp, { type: question.type });
    } finally {
      release();
    }
  }

  async function endedBy(signal: AbortSignal, lookup: WireLookup): Promise<DnsAnswer> {
    open.add(lookup);
    signal.addEventListener('abort', lookup.giveUp, { once: true });
    try {
      const answer = await lookup.answer;
      signal.throwIfAborted();
      return answer;
    } finally {
      signal.removeEventListener('abort', lookup.giveUp);
      open.delete(lookup);
    }
  }

  /** Too many are on their way: the lookup's time runs while it waits. None where that runs out, or all is closed. */
  async function waitForPlace({ deadline, signal }: Patience): Promise<(() => void) | undefined> {
    const stop = new AbortController();
    const waiting = { giveUp: () => stop.abort(lookupEnded) };
    open.add(waiting);
    signal.addEventListener('abort', waiting.giveUp, { once: true });
    const cancelTimer = clock.after(deadline - clock.now(), waiting.giveUp);
    try {
      // A place is refused for one reason only: the signal fired.
      return await lookups.acquire(stop.signal).catch(() => undefined);
    } finally {
      cancelTimer();
      signal.removeEventListener('abort', waiting.giveUp);
      open.delete(waiting);
      signal.throwIfAborted();
    }
  }

  function close(): void {
    closed = true;
    for (const lookup of open) lookup.giveUp();
  }

  return { ask, close };
}

/** One question on its way. Whatever tries are still open end with it. */
type WireLookup = { answer: Promise<DnsAnswer>; giveUp: () => void };

/** The rounds over the servers for one question, until it is answered, given up or at its deadline. */
function startLookup(
  { question, deadline }: { question: DnsQuestion; deadline: number },
  { servers, clock, limits, wire }: AskServersParts,
  favourite: { index: number },
): WireLookup {
  const { promise: answer, resolve, reject } = Promise.withResolvers<DnsAnswer>();
  const start = favourite.index;
  const declined = new Map<number, LookupFailure>();
  const stopTries: (() => void)[] = [];
  let over = false;
  let sawUnreadable = false;
  let cancelTimer = () => {};

  function end(): void {
    over = true;
    cancelTimer();
    for (const stop of stopTries) stop();
  }
  function giveUp(): void {
    end();
    const [failure = sawUnreadable ? 'malformed' : 'silence'] = declined.values();
    resolve(failed(failure));
  }
  function onReply(index: number, reply: ServerReply): void {
    if (over) return;
    if (reply.kind === 'answered') {
      end();
      favourite.index = index;
      resolve(reply.answer);
      return;
    }
    if (reply.kind === 'declined') declined.set(index, reply.failure);
    if (declined.size === servers.length) giveUp();
    else if (stopTries.length < servers.length) tryNext();
  }
  function onSilence(): void {
    if (clock.now() >= deadline || (declined.size > 0 && stopTries.length >= servers.length)) giveUp();
    else tryNext();
  }
  function tryNext(): void {
    const index = (start + stopTries.length) % servers.length;
    const server = servers[index];
    if (server === undefined) throw new Error('no DNS server to ask');
    cancelTimer();
    cancelTimer = clock.after(Math.min(limits.dnsTryMs, deadline - clock.now()), onSilence);
    const stop = askServer(wire, {
      server,
      question,
      replied: (reply) => onReply(index, reply),
      unreadable: () => void (sawUnreadable = true),
      failed(error) {
        end();
        reject(error);
      },
    });
    stopTries.push(stop);
  }

  tryNext();
  return { answer, giveUp };
}

function failed(failure: LookupFailure): DnsAnswer {
  return { lookup: { kind: 'failed', failure }, ttlS: 0 };
}
