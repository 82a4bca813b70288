import assert from 'node:assert/strict';
import { singlePath, type ApiClient } from '../../support/api-client.ts';
import { askInACrowd } from '../../support/ask-in-a-crowd.ts';
import { until } from '../../support/until.ts';
import type { Fixture } from '../../support/open-fixture.ts';

type Crowd = { fixture: Fixture; clients: readonly ApiClient[]; accountId: string; liveKey: string };

const requests = 1_000;
const credits = 100;

/**
 * Sends a thousand requests at once on a hundred credits: a hundred are charged, nine hundred refused, and the
 * books balance. Returns how many requests had to be repeated.
 *
 * A busy machine may refuse some (503), even after their credit was reserved. They retry after the given time. Such
 * a credit returns after others were refused for lack of it, so one more request is sent while a credit is left.
 */
export async function overspend({ fixture, clients, accountId, liveKey }: Crowd): Promise<number> {
  const kinds: Record<string, number> = {};
  let turnedAway = 0;

  async function ask(n: number): Promise<void> {
    const client = clients[n % clients.length];
    assert.ok(client);
    const call = { path: singlePath, key: liveKey, body: { email: `p${n}@nullmx.test` } };
    const heard = await askInACrowd(client, call);
    const kind = `${heard.answer.status}, ${heard.answer.creditsUsed} used`;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    turnedAway += heard.turnedAway;
  }

  await Promise.all(Array.from({ length: requests }, (_, n) => ask(n)));
  let asked = requests;
  await until(async () => {
    const { available, reserved } = await fixture.balance(accountId);
    if (available > 0) await ask(asked++);
    return available + reserved === 0;
  });
  const { '200, 1 used': charged = 0, '429, 0 used': refused = 0, ...others } = kinds;
  assert.deepEqual(others, {});
  assert.equal(charged + refused, asked);
  // A request refused at the moment of its commit may have been charged without knowing it.
  assert.ok(turnedAway === 0 ? charged === credits : charged <= credits, `${charged} charged`);
  assert.deepEqual(await fixture.command('credits', 'show', accountId), {
    account_id: accountId,
    granted: credits,
    available: 0,
    reserved: 0,
    spent: credits,
  });
  return turnedAway;
}
