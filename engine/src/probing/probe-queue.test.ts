import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../clock.ts';
import type { MailTarget } from '../dns/mail-route.ts';
import { parseAddress } from '../syntax/parse-address.ts';
import { createProbeQueue } from './probe-queue.ts';
import { createPendingProbe, type Asker, type PendingProbe } from './pending-probe.ts';

const signal = new AbortController().signal;

function probe(name: string, urgency: Asker['urgency'], account = 'a'): PendingProbe {
  const parsed = parseAddress(`${name}@example.com`);
  if (parsed.kind === 'invalid') throw new Error(name);
  const target = { host: 'mx.example.com', address: '192.0.2.1' } as MailTarget;
  const deadline = systemClock.now() + 60_000;
  return createPendingProbe(
    { address: parsed.address, target, asker: { urgency, account } },
    { deadline, signal },
    systemClock,
  );
}
const names = (probes: PendingProbe[]): string[] => probes.map(({ address }) => address.username);

function queueOf(...probes: PendingProbe[]) {
  const queue = createProbeQueue();
  for (const one of probes) queue.add(one);
  return { queue, done: () => probes.forEach((one) => one.settle({ kind: 'not_connected' })) };
}

test('single verifications go before those of a list', () => {
  const { queue, done } = queueOf(probe('list1', 'bulk'), probe('single', 'single'), probe('list2', 'bulk'));
  assert.deepEqual(names(queue.take(10)), ['single', 'list1', 'list2']);
  done();
});

test('accounts take turns, so that nobody stands behind all of another', () => {
  const { queue, done } = queueOf(
    probe('a1', 'bulk', 'a'),
    probe('a2', 'bulk', 'a'),
    probe('a3', 'bulk', 'a'),
    probe('b1', 'bulk', 'b'),
  );
  assert.deepEqual(names(queue.take(10)), ['a1', 'b1', 'a2', 'a3']);
  done();
});

test('who has left is neither counted nor taken', () => {
  const gone = probe('gone', 'bulk');
  const { queue, done } = queueOf(gone, probe('here', 'bulk'));
  gone.settle({ kind: 'not_connected' });
  assert.equal(queue.size(), 1);
  assert.deepEqual(names(queue.take(10)), ['here']);
  assert.equal(queue.size(), 0);
  done();
});
