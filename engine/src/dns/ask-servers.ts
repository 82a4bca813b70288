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

/** Why a try ends when its lookup has; made once, since an abort without a reason makes an exception each time. */
const lookupEnded = new Error('the lookup has ended');

export function createAskServers(parts: AskServersParts): { ask: Ask; close(): void } {
  const { clock, limits, lookups } = parts;
  const lives = new Set<AbortController>();
  // The server that answered last is asked first, so that a dead one costs its second only once.
  const favourite = { index: 0 };
  let closed = false;

  async function ask(question: DnsQuestion, patience: Patience): Promise<DnsAnswer> {
    patience.signal.throwIfAborted();
    const waitMs = Math.min(patience.deadline - clock.now(), limits.dnsLookupMs);
    if (closed || waitMs <= 0) return failed('silence');
    const life = new AbortController();
    const end = () => life.abort(lookupEnded);
    lives.add(life);
    patience.signal.addEventListener('abort', end, { once: true });
    const cancel = clock.after(waitMs, end);
    try {
      const answer = await askWhenFree(question, life.signal);
      patience.signal.throwIfAborted();
      return answer;
    } finally {
      cancel();
      patience.signal.removeEventListener('abort', end);
      lives.delete(life);
      // Whatever tries are still open end with the lookup.
      end();
    }
  }

  async function askWhenFree(question: DnsQuestion, signal: AbortSignal): Promise<DnsAnswer> {
    // A place is refused for one reason only: the signal fired, which is silence to the caller.
    const release = await lookups.acquire(signal).catch(() => undefined);
    if (release === undefined) return failed('silence');
    try {
      return await rounds(parts, favourite, { question, signal });
    } finally {
      release();
    }
  }

  function close(): void {
    closed = true;
    for (const life of lives) life.abort(lookupEnded);
  }

  return { ask, close };
}

/** The rounds over the servers for one question, until it is answered or `signal` fires. */
function rounds(
  parts: AskServersParts,
  favourite: { index: number },
  lookup: { question: DnsQuestion; signal: AbortSignal },
): Promise<DnsAnswer> {
  const { servers, clock, limits } = parts;
  if (lookup.signal.aborted) return Promise.resolve(failed('silence'));
  const start = favourite.index;
  return new Promise((resolve, reject) => {
    const declined = new Map<number, LookupFailure>();
    let tries = 0;
    let over = false;
    let sawUnreadable = false;
    let cancelTimer = () => {};

    const finish = (answer: DnsAnswer) => {
      over = true;
      cancelTimer();
      lookup.signal.removeEventListener('abort', giveUp);
      resolve(answer);
    };
    const giveUp = () => {
      const [failure = sawUnreadable ? 'malformed' : 'silence'] = declined.values();
      finish(failed(failure));
    };

    const onReply = (index: number, reply: ServerReply) => {
      if (over) return;
      if (reply.kind === 'answered') {
        favourite.index = index;
        finish(reply.answer);
        return;
      }
      if (reply.kind === 'declined') declined.set(index, reply.failure);
      if (declined.size === servers.length) giveUp();
      else if (tries < servers.length) tryNext();
    };

    const onSilence = () => {
      if (declined.size > 0 && tries >= servers.length) giveUp();
      else tryNext();
    };

    const tryNext = () => {
      const index = (start + tries) % servers.length;
      const server = servers[index];
      if (server === undefined) throw new Error('no DNS server to ask');
      tries += 1;
      cancelTimer();
      cancelTimer = clock.after(limits.dnsTryMs, onSilence);
      const unreadable = () => (sawUnreadable = true);
      const request = { server, question: lookup.question, signal: lookup.signal, unreadable };
      askServer(parts.wire, request).then((reply) => onReply(index, reply), reject);
    };

    lookup.signal.addEventListener('abort', giveUp, { once: true });
    tryNext();
  });
}

function failed(failure: LookupFailure): DnsAnswer {
  return { lookup: { kind: 'failed', failure }, ttlS: 0 };
}
