import { systemClock, type Clock } from '@mailproof/engine';
import type { FastifyReply } from 'fastify';
import { createCellRates } from '../../process/cell-rates.ts';
import { contextOf } from './request-context.ts';

/**
 * A refusal is cheap, but whoever repeats at once what was refused, over many connections, has the processor spent on
 * refusals, and everybody pays for it. So each asker, an account or the client's address where no account is known, is
 * refused at once only so often: for seconds even where it asks ten times too much, but not for as long as it likes. Its
 * further refusals are sent one after the other at a rate that costs others next to nothing, and until then the
 * connection is not free to ask again. Nothing but refusals waits, and nobody waits for what another was refused.
 */
export const refusalLimitTable = {
  perSecond: {
    value: 100,
    meaning:
      'refusals of one account, or of one client address, that are sent in a second for as long as it asks',
  },
  atOnce: { value: 1_800, meaning: 'beyond these, after a time without any, at once' },
  waitMs: {
    value: 60_000,
    meaning: 'a refusal before it is sent; what would wait longer has its connection closed',
  },
  stepMs: {
    value: 20,
    meaning:
      'between two moments at which those that wait are sent: a few together, which costs less, but no more than hold up others for about a millisecond',
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
  /** Sends an answer at once, or a refusal when its time has come. */
  whenDue(reply: FastifyReply, send: () => void): void;
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
    whenDue(reply, send) {
      if (!refusals.has(reply.statusCode)) {
        send();
        return;
      }
      const { work, client } = contextOf(reply.request);
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
 * How long the next refusal of an asker has to wait. One that would wait too long is not counted, so that the asker is
 * not held to it for longer than that.
 */
export function createRefusalWait(limits: RefusalLimits, clock: Pick<Clock, 'now'>) {
  const rates = createCellRates({ clock, mostNames: askersKnown });
  const rate = { intervalMs: 1_000 / limits.perSecond, atOnce: limits.atOnce };
  return (asker: string): number => {
    const now = clock.now();
    const { waitMs } = rates.look(asker, rate, now);
    if (waitMs > limits.waitMs) return Infinity;
    rates.take(asker, rate, now);
    return waitMs <= 0 ? 0 : Math.ceil((now + waitMs) / limits.stepMs) * limits.stepMs - now;
  };
}
