import { setImmediate as nextRound } from 'node:timers/promises';
import { startEngineParts, type Records } from './engine-parts.ts';
import type { List, Question } from './lists.ts';
import { dayMs, hourMs } from './scripted-world.ts';
import { createSimulatedClock, pause } from './simulated-clock.ts';

/**
 * A day on a simulated clock: three accounts with a list each, one of them dirty, and single verifications beside them,
 * from two egress addresses. The scheduler, the pacer, the brake, the routes and the watch over our reputation are the
 * engine's own, with their defaults; mail hosts and block lists are scripted and count what they see.
 */
export type Day = Records & { accounts: AccountDay[] };

export type AccountDay = {
  account: string;
  addresses: number;
  answered: number;
  /** The host said something of our address instead. */
  refused: number;
  /** The provider bans the address that would ask, until the next day. */
  putOff: number;
  /** When the last one of midnight's was answered. */
  tookMs: number;
  /** How long single verifications waited, in order. */
  singleWaitsMs: number[];
};

const underWayAtOnce = 150;
const probeMs = 1_800_000;
const singleMs = 30_000;
const singleEveryMs = 300_000;
/** An address that was put off is asked for again by its list; at the end of the day it is `unknown`. */
const leastRetryMs = 60_000;

type AskedBy = { account: string; urgency: 'single' | 'bulk' };

export async function simulateDay(lists: readonly List[]): Promise<Day> {
  const clock = createSimulatedClock();
  const { scheduler, reputation, records } = startEngineParts(clock, lists);
  const accounts = lists.map((list) => ({ list, day: emptyDay(list) }));
  let open = 0;

  async function ask(question: Question, { account, urgency }: AskedBy) {
    const target = { host: question.host, address: question.ip };
    const deadline = clock.now() + (urgency === 'single' ? singleMs : probeMs);
    const signal = new AbortController().signal;
    return scheduler.ask(
      { address: question.address, target, asker: { account, urgency } },
      { deadline, signal },
    );
  }

  /** Asks until there is an answer, or until none can come today. */
  async function settle(question: Question, day: AccountDay): Promise<void> {
    for (;;) {
      const visit = await ask(question, { account: day.account, urgency: 'bulk' });
      if (visit.kind === 'answered') {
        if (visit.evidence.meaning.label === 'blocked_or_policy') day.refused += 1;
        else day.answered += 1;
        return;
      }
      const restMs = visit.kind === 'resting' ? (visit.forMs ?? leastRetryMs) : leastRetryMs;
      if (clock.now() + restMs > dayMs) {
        if (visit.kind === 'resting' && visit.reason === 'provider_bans_us') day.putOff += 1;
        return;
      }
      await pause(Math.max(leastRetryMs, restMs), clock);
    }
  }

  /** One after the other; several of these work side by side. */
  async function work(pending: Iterator<Question>, at: number, day: AccountDay): Promise<void> {
    await pause(at, clock);
    for (let next = pending.next(); next.done !== true; next = pending.next()) {
      await settle(next.value, day);
      if (at === 0) day.tookMs = clock.now();
    }
  }

  async function askLater(question: Question, at: number, day: AccountDay): Promise<void> {
    await pause(at, clock);
    await settle(question, day);
  }

  async function askSingles({ account, singles }: List, day: AccountDay): Promise<void> {
    for (const question of singles) {
      await pause(singleEveryMs, clock);
      const askedAt = clock.now();
      await ask(question, { account, urgency: 'single' });
      day.singleWaitsMs.push(clock.now() - askedAt);
    }
  }

  const track = (work_: Promise<void>): void => {
    open += 1;
    void work_.finally(() => (open -= 1));
  };
  for (const { list, day } of accounts) {
    for (const { at, questions } of list.bursts) {
      const pending = questions.values();
      for (let n = 0; n < underWayAtOnce; n += 1) track(work(pending, at, day));
    }
    const everyMs = (dayMs - hourMs) / list.oneByOne.length;
    list.oneByOne.forEach((question, n) => track(askLater(question, n * everyMs, day)));
    track(askSingles(list, day));
  }
  while (open > 0) {
    if (!clock.step(Infinity)) await nextRound();
    await nextRound();
  }
  reputation.stop();
  return { ...records, accounts: accounts.map(({ day }) => day) };
}

function emptyDay({ account, bursts, oneByOne }: List): AccountDay {
  const addresses = bursts.reduce((sum, { questions }) => sum + questions.length, oneByOne.length);
  return { account, addresses, answered: 0, refused: 0, putOff: 0, tookMs: 0, singleWaitsMs: [] };
}
