import type { Ticket } from './ticket.ts';

/**
 * Those who wait for one mail host: single verifications first, for somebody waits for them; among equals
 * the accounts take turns, so that nobody's thousand stand before another's one.
 */
export type TicketQueue = {
  add(ticket: Ticket): void;
  take(most: number): Ticket[];
  /** How many wait who have not left. */
  size(): number;
};

export function createTicketQueue(): TicketQueue {
  // Nobody waits at most of the lines, so a queue is made for the first who does and goes with the last.
  const queues: Record<'single' | 'bulk', Map<string, Ticket[]> | undefined> = {
    single: undefined,
    bulk: undefined,
  };
  let waiting = 0;

  /** The next of the account whose turn it is; that account then goes to the end of the row. */
  function takeOne(urgency: 'single' | 'bulk'): Ticket | undefined {
    const byAccount = queues[urgency];
    if (byAccount === undefined) return undefined;
    for (const [account, tickets] of byAccount) {
      byAccount.delete(account);
      const ticket = tickets.shift();
      if (tickets.length > 0) byAccount.set(account, tickets);
      if (byAccount.size === 0) queues[urgency] = undefined;
      if (ticket !== undefined && !ticket.isSettled()) return ticket;
    }
    return undefined;
  }

  return {
    add(ticket) {
      const byAccount = (queues[ticket.asker.urgency] ??= new Map<string, Ticket[]>());
      const tickets = byAccount.get(ticket.asker.account) ?? [];
      tickets.push(ticket);
      byAccount.set(ticket.asker.account, tickets);
      waiting += 1;
      ticket.onSettled(() => {
        if (tickets.includes(ticket)) waiting -= 1;
      });
    },
    take(most) {
      const taken: Ticket[] = [];
      while (taken.length < most) {
        const ticket = takeOne('single') ?? takeOne('bulk');
        if (ticket === undefined) break;
        taken.push(ticket);
      }
      waiting -= taken.length;
      return taken;
    },
    size: () => waiting,
  };
}
