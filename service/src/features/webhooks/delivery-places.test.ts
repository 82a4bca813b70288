import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDeliveryPlaces, type Receiver } from './delivery-places.ts';
import { webhookLimits } from './webhook-limits.ts';

const receiver = (account: number, more: Partial<Receiver> = {}): Receiver => ({
  webhookId: `endpoint of ${account}`,
  accountId: `account ${account}`,
  host: `${account}.example.com`,
  hangs: false,
  ...more,
});

/** Takes places until there is none; says how many there were. */
function fill(places: ReturnType<typeof createDeliveryPlaces>, to: Receiver): number {
  let taken = 0;
  while (places.take(to) !== undefined) taken += 1;
  return taken;
}

describe('the places of deliveries', () => {
  it('an account has a place of its own when others hold all that are shared', () => {
    const places = createDeliveryPlaces();
    const taken = Array.from({ length: 10 }, (_, account) => {
      const endpoints = ['first', 'second', 'third'].map((name) => ({ webhookId: `${name} of ${account}` }));
      return endpoints.reduce((sum, endpoint) => sum + fill(places, receiver(account, endpoint)), 0);
    });
    assert.deepEqual(taken.slice(0, 6), [16, 16, 16, 16, 5, 1]);
    const leave = places.take(receiver(99));
    assert.ok(leave);
    assert.equal(places.take(receiver(99)), undefined, 'it has no more than its own');
    leave();
    assert.ok(places.take(receiver(99)), 'its own place is free again');
  });

  it('an endpoint has eight at most, and one host a part of what is shared', () => {
    const places = createDeliveryPlaces();
    assert.equal(fill(places, receiver(1)), webhookLimits.sentAtOnceToEndpoint);
    const host = 'hooks.example.com';
    const taken = Array.from({ length: 20 }, (_, n) => fill(places, receiver(100 + n, { host })));
    const total = taken.reduce((sum, count) => sum + count, 0);
    assert.equal(total, 20 + webhookLimits.sentAtOnceToHost);
    assert.equal(fill(places, receiver(2)), 8, 'another host has room');
  });

  it('endpoints whose last attempt timed out have one place for each account, apart from all others', () => {
    const places = createDeliveryPlaces();
    for (let account = 0; account < webhookLimits.hangingAtOnce; account += 1) {
      assert.equal(fill(places, receiver(account, { hangs: true })), 1);
      assert.equal(fill(places, receiver(account, { hangs: true, webhookId: `second of ${account}` })), 0);
    }
    assert.equal(fill(places, receiver(1_000, { hangs: true })), 0, 'they are all taken');
    assert.equal(fill(places, receiver(1_000)), 8);
    assert.equal(fill(places, receiver(0)), 8, 'the same account, at an endpoint that answers');
  });
});
