import { systemClock, type Clock } from '@mailproof/engine';
import type { FastifyReply } from 'fastify';
import { createCellRates } from '../../process/cell-rates.ts';
import { contextOf } from './request-context.ts';

/**
 * Paces refusals. A refusal is cheap, but a client that retries at once over many connections could use up
 * everyone's CPU. So each asker (an account, or the client's address while the account is unknown) has a burst of
 * immediate refusals. The burst lasts for seconds, even at ten times the allowed load. Further refusals are sent
 * one by one, at a rate that costs others next to nothing. Until then the connection stays busy. Only refusals
 * wait, and no client waits for another's refusals.
 */
export const refusalLimitTable = {
  perSecond: {
    value: 100,
    meaning: 'refusals sent per second to one account or one client address',
  },
  atOnce: { value: 1_800, meaning: 'burst of such refusals after a pause' },
  waitMs: {
    value: 60_000,
    meaning: 'wait of a refusal before it is sent; if it would be longer, the connection is closed',
  },
  stepMs: {
    value: 20,
    meaning:
      'time between two batches of waiting refusals; a batch delays other work by about a millisecond at most',
  },
  waiting: {
    value: 10_000,
    meaning: 'refusals that wait in one process; beyond these, the connection is closed',
  },
} as const;

type RefusalLimits = { readonly [Name in keyof typeof refusalLimitTable]: number };

export const refusalLimits = Object.fromEntries(
  Object.entries(refusalLimitTable).map(([name, { value }]) => [name, value]),
  // The cast holds: every name of the table has a number.
) as RefusalLimits;

/** Statuses of answers without work: no such path, key or thing, not allowed, or too much. */
const refusals: ReadonlySet<number> = new Set([401, 403, 404, 405, 429, 503]);

type RefusalPace = {
  /** Sends an answer at once, or a refusal when it is due. */
  whenDue(reply: FastifyReply, send: () => void): void;
  /** Sends all waiting refusals. */
  flush(): void;
};

export function paceRefusals(limits = refusalLimits, clock: Clock = systemClock): RefusalPace {
  const waitFor = createRefusalWait(limits, clock);
  const waiting = new Set<() => void>();

  function sendLater(reply: FastifyReply, waitMs: number, send: () => void): void {
    // A refused request needs no place any more.
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
 * Returns how long the next refusal of an asker has to wait. A refusal that would wait too long is not counted, so
 * that no asker is delayed for longer than that.
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
