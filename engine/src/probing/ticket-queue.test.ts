import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../clock.ts';
import type { MailTarget } from '../dns/mail-route.ts';
import { parseAddress } from '../syntax/parse-address.ts';
import { createTicketQueue } from './ticket-queue.ts';
import { createTicket, type Asker, type Ticket } from './ticket.ts';

const signal = new AbortController().signal;

function ticket(name: string, urgency: Asker['urgency'], account = 'a'): Ticket {
  const parsed = parseAddress(`${name}@example.com`);
  if (parsed.kind === 'invalid') throw new Error(name);
  const target = { host: 'mx.example.com', address: '192.0.2.1' } as MailTarget;
  const deadline = systemClock.now() + 60_000;
  return createTicket(
    { address: parsed.address, target, asker: { urgency, account } },
    { deadline, signal },
    systemClock,
  );
}
const names = (tickets: Ticket[]): string[] => tickets.map(({ address }) => address.username);

function queueOf(...tickets: Ticket[]) {
  const queue = createTicketQueue();
  for (const one of tickets) queue.add(one);
  return { queue, done: () => tickets.forEach((one) => one.settle({ kind: 'not_connected' })) };
}

test('single verifications go before those of a list', () => {
  const { queue, done } = queueOf(
    ticket('list1', 'bulk'),
    ticket('single', 'single'),
    ticket('list2', 'bulk'),
  );
  assert.deepEqual(names(queue.take(10)), ['single', 'list1', 'list2']);
  done();
});

test('accounts take turns, so that nobody stands behind all of another', () => {
  const { queue, done } = queueOf(
    ticket('a1', 'bulk', 'a'),
    ticket('a2', 'bulk', 'a'),
    ticket('a3', 'bulk', 'a'),
    ticket('b1', 'bulk', 'b'),
  );
  assert.deepEqual(names(queue.take(10)), ['a1', 'b1', 'a2', 'a3']);
  done();
});

test('who has left is neither counted nor taken', () => {
  const gone = ticket('gone', 'bulk');
  const { queue, done } = queueOf(gone, ticket('here', 'bulk'));
  gone.settle({ kind: 'not_connected' });
  assert.equal(queue.size(), 1);
  assert.deepEqual(names(queue.take(10)), ['here']);
  assert.equal(queue.size(), 0);
  done();
});
