/**
 * Asks the configured servers until one answers: the next one after `dnsTryMs` of silence, at once
 * when a server declines (SERVFAIL, REFUSED …) or is not there, and round again until `dnsLookupMs`
 * or the caller's deadline. Earlier tries stay open: a recursive resolver that needs three seconds
 * for a slow zone is heard when it answers.
 *
 * Ways a lookup ends, besides an answer:
 * - every server was asked, one at least declined, and the others have had their time: its failure;
 * - the deadline: `malformed` if something unreadable came, else `silence`;
 * - nobody waits for it any more, or the resolver is closed: `silence`.
 */
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { tracedLookups } from '../traced.ts';
import { askServer } from './ask-server.ts';
import type { ServerReply, WireParts } from './ask-server.ts';
import type { Semaphore } from './semaphore.ts';
import type { LookupFailure } from './lookup.ts';
import type { DnsAnswer, DnsServer, DnsQuestion, WireLookup } from './question.ts';

type AskServersParts = {
  servers: readonly DnsServer[];
  clock: Clock;
  limits: Limits;
  wire: WireParts;
  /** Bounds the lookups in flight. */
  lookups: Semaphore;
  /** Told of each lookup that nobody answered. */
  onFailure(failure: LookupFailure): void;
};

/** Why a lookup that waits for a place gives up. */
const lookupEnded = new Error('the lookup has ended');

export function createAskServers(parts: AskServersParts): {
  begin(question: DnsQuestion, endsAt: number): WireLookup;
  close(): void;
} {
  const { clock, limits, lookups } = parts;
  const open = new Set<{ giveUp: () => void }>();
  // The server that answered last is asked first, so that a dead one costs its second only once.
  const favourite = { index: 0 };
  let closed = false;

  function begin(question: DnsQuestion, endsAt: number): WireLookup {
    const deadline = Math.min(endsAt, clock.now() + limits.dnsLookupMs);
    if (closed || deadline <= clock.now()) return lookupOf(Promise.resolve(failed('silence', parts)));
    const release = lookups.acquireNow();
    return release === undefined ? beginLater(question, deadline) : launch(question, deadline, release);
  }

  function launch(question: DnsQuestion, deadline: number, release: () => void): WireLookup {
    const order: LookupOrder = { question, deadline, ended };
    let lookup: WireLookup | undefined;
    let isOver = false as boolean;
    function ended(): void {
      isOver = true;
      if (lookup !== undefined) open.delete(lookup);
      release();
    }
    try {
      const answer = tracedLookups.tracePromise(
        () => (lookup = startLookup(order, parts, favourite)).answer,
        { type: question.type },
      );
      if (lookup !== undefined && !isOver) open.add(lookup);
      return { answer, giveUp: () => lookup?.giveUp() };
    } catch (error) {
      release();
      // A defect of ours reaches whoever asked.
      const defect = error as Error;
      return lookupOf(Promise.reject(defect));
    }
  }

  /** Too many are on their way: the lookup's time runs while it waits, and it ends where that runs out. */
  function beginLater(question: DnsQuestion, deadline: number): WireLookup {
    const stop = new AbortController();
    let begun: WireLookup | undefined;
    return lookupOf(waitAndBegin(), () => {
      stop.abort(lookupEnded);
      begun?.giveUp();
    });

    async function waitAndBegin(): Promise<DnsAnswer> {
      const waiting = { giveUp: () => stop.abort(lookupEnded) };
      open.add(waiting);
      const cancelTimer = clock.after(deadline - clock.now(), waiting.giveUp);
      // A place is refused for one reason only: the signal fired.
      const release = await lookups.acquire(stop.signal).catch(() => undefined);
      cancelTimer();
      open.delete(waiting);
      if (release === undefined) return failed('silence', parts);
      begun = launch(question, deadline, release);
      return begun.answer;
    }
  }

  function close(): void {
    closed = true;
    for (const lookup of open) lookup.giveUp();
  }

  return { begin, close };
}

function lookupOf(answer: Promise<DnsAnswer>, giveUp: () => void = () => undefined): WireLookup {
  return { answer, giveUp };
}

/** `ended` is called once, however the lookup ends. */
type LookupOrder = { question: DnsQuestion; deadline: number; ended: () => void };

/** The rounds over the servers for one question, until it is answered, given up or at its deadline. */
function startLookup(
  { question, deadline, ended }: LookupOrder,
  parts: AskServersParts,
  favourite: { index: number },
): WireLookup {
  const { servers, clock, limits, wire } = parts;
  const { promise: answer, resolve, reject } = Promise.withResolvers<DnsAnswer>();
  const start = favourite.index;
  const stopTries: (() => void)[] = [];
  let declined: Map<number, LookupFailure> | undefined;
  let over = false;
  let sawUnreadable = false;
  let cancelTimer = () => {};

  function end(): void {
    over = true;
    cancelTimer();
    for (const stop of stopTries) stop();
    ended();
  }
  function giveUp(): void {
    if (over) return;
    end();
    const [failure = sawUnreadable ? 'malformed' : 'silence'] = declined?.values() ?? [];
    resolve(failed(failure, parts));
  }
  function onReply(index: number, reply: ServerReply): void {
    if (over) return;
    if (reply.kind === 'answered') {
      end();
      favourite.index = index;
      resolve(reply.answer);
      return;
    }
    if (reply.kind === 'declined') (declined ??= new Map()).set(index, reply.failure);
    if (declined?.size === servers.length) giveUp();
    else if (stopTries.length < servers.length) tryNext();
  }
  function onSilence(): void {
    const isDeclined = declined !== undefined && stopTries.length >= servers.length;
    if (clock.now() >= deadline || isDeclined) giveUp();
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
        if (!over) end();
        reject(error);
      },
    });
    stopTries.push(stop);
  }

  tryNext();
  return { answer, giveUp };
}

function failed(failure: LookupFailure, { onFailure }: Pick<AskServersParts, 'onFailure'>): DnsAnswer {
  onFailure(failure);
  return { lookup: { kind: 'failed', failure }, ttlS: 0 };
}
