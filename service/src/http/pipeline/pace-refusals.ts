import { createBoundedCache, systemClock, type Clock } from '@mailproof/engine';
import type { FastifyReply, onSendHookHandler } from 'fastify';
import { contextOf } from './request-context.ts';

/**
 * A refusal is cheap, but whoever repeats at once what was refused, over many connections, has the processor spent on
 * refusals, and everybody pays for it. So each asker, an account or the client's address where no account is known, is
 * refused at once only so often. Its further refusals are sent one after the other at that rate, and until then the
 * connection is not free to ask again. Nothing but refusals waits, and nobody waits for what another was refused.
 */
export const refusalLimitTable = {
  perSecond: {
    value: 1_000,
    meaning: 'refusals of one account, or of one client address, that are sent in a second',
  },
  atOnce: { value: 250, meaning: 'of these, after a time without any, at once' },
  waitMs: {
    value: 60_000,
    meaning: 'a refusal before it is sent; what would wait longer has its connection closed',
  },
  stepMs: {
    value: 50,
    meaning: 'between two moments at which those that wait are sent, several together, which costs less',
  },
  waiting: {
    value: 10_000,
    meaning: 'refusals that wait in one process; further ones have their connection closed',
  },
} as const;

type RefusalLimits = { readonly [Name in keyof typeof refusalLimitTable]: number };

export const refusalLimits = Object.fromEntries(
  Object.entries(refusalLimitTable).map(([name, { value }]) => [name, value]),
  // Every name of the table has a number.
) as RefusalLimits;

/** Answers with which no work was done: no such path, key or thing, not allowed, or too much. */
const refusals: ReadonlySet<number> = new Set([401, 403, 404, 405, 429, 503]);

type RefusalPace = {
  onSend: onSendHookHandler;
  /** Sends all that waits. */
  flush(): void;
};

export function paceRefusals(limits = refusalLimits, clock: Clock = systemClock): RefusalPace {
  const waitFor = createRefusalWait(limits, clock);
  const waiting = new Set<() => void>();

  function sendLater(reply: FastifyReply, waitMs: number, send: () => void): void {
    // What is refused needs no place any more.
    contextOf(reply.request).release?.();
    const cancelTimer = clock.after(waitMs, sendNow);
    waiting.add(sendNow);
    reply.raw.once('close', () => {
      waiting.delete(sendNow);
      cancelTimer();
    });

    function sendNow(): void {
      if (waiting.delete(sendNow)) send();
    }
  }

  return {
    // eslint-disable-next-line max-params -- the framework's own signature
    onSend(request, reply, payload, done) {
      const send = () => done(null, payload);
      if (!refusals.has(reply.statusCode)) {
        send();
        return;
      }
      const { work, client } = contextOf(request);
      const waitMs = waitFor(work?.asker ?? client);
      if (waitMs === 0) send();
      else if (waitMs === Infinity || waiting.size >= limits.waiting) reply.raw.destroy();
      else sendLater(reply, waitMs, send);
    },
    flush: () => waiting.forEach((sendNow) => sendNow()),
  };
}

const askersKnown = 10_000;

/**
 * How long the next refusal of an asker has to wait, by the generic cell rate algorithm (see `rate-limits.ts`). One that
 * would wait too long is not counted, so that the asker is not held to it for longer than that.
 */
export function createRefusalWait(limits: RefusalLimits, clock: Pick<Clock, 'now'>) {
  const busyUntil = createBoundedCache<number>({ clock, maxEntries: askersKnown });
  const spacingMs = 1_000 / limits.perSecond;
  return (asker: string): number => {
    const now = clock.now();
    const until = Math.max(busyUntil.get(asker) ?? now, now) + spacingMs;
    const waitMs = until - now - limits.atOnce * spacingMs;
    if (waitMs > limits.waitMs) return Infinity;
    busyUntil.set(asker, until, until - now);
    return waitMs <= 0 ? 0 : Math.ceil((now + waitMs) / limits.stepMs) * limits.stepMs - now;
  };
}
