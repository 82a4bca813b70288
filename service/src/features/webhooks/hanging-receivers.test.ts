import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createResolver, defaultLimits, parseCidr, systemClock } from '@mailproof/engine';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { databases, type TestDatabase } from '../../../test/support/databases.ts';
import { openAccount } from '../../../test/support/open-account.ts';
import { until } from '../../../test/support/until.ts';
import { openWebhookFixture } from '../../../test/support/webhooks/open-webhook-fixture.ts';
import { startReceiver } from '../../../test/support/webhooks/start-receiver.ts';
import { statement } from '../../core/store/statement.ts';
import { startWorker } from '../../core/verify/worker/start-worker.ts';
import { placesAtOnce } from './delivery-places.ts';
import { createDeliverySender } from './send-deliveries.ts';
import { createSendRequest } from './send-request.ts';
import { createWebhookActions } from './webhook-actions.ts';
import { webhookLimits } from './webhook-limits.ts';

const most = 50;
/** Endpoints whose last attempt is known to have timed out. */
const findHanging = statement((db) =>
  db.selectFrom('webhook').select('id').where('timed_out_at', 'is not', null),
);

const findDelivered = statement((db, arg: { webhook: string }) =>
  db
    .selectFrom('webhook_delivery')
    .select('id')
    .where('webhook_id', '=', arg.webhook)
    .where('state', '=', 'delivered'),
);

/** Each account has a receiver of its own, by address, so that nothing depends on DNS. */
const hostOf = (account: number) => `127.1.0.${account + 1}`;
const honestHost = '127.2.0.1';

describe('receivers that hang', () => {
  let resolver: ReturnType<typeof createResolver>;
  before(() => {
    const limits = defaultLimits;
    resolver = createResolver({ servers: [{ ip: '127.0.0.1', port: 1 }], clock: systemClock, limits });
  });
  after(() => resolver.close());

  /** Real sockets; only the time of an attempt stands still, so that a receiver hangs for as long as the test wants. */
  async function openSending(database: TestDatabase) {
    const fixture = await openWebhookFixture(database);
    const hanging = await startReceiver({ address: '0.0.0.0' });
    const honest = await startReceiver({ address: honestHost });
    hanging.behave('hangs');
    const attemptClock = createTestClock();
    const block = parseCidr('127.0.0.0/8');
    assert.ok(block);
    const send = createSendRequest({
      resolver,
      clock: attemptClock,
      egressAllow: [block],
      ownAddresses: () => [],
    });
    const sender = createDeliverySender({ ...fixture.parts, clock: systemClock, send });
    const worker = startWorker({
      ...sender,
      clock: systemClock,
      limits: { tasksAtOnce: placesAtOnce, pollMs: 1_000, drainMs: 10 },
      onProblem: fixture.parts.onProblem,
    });
    const actions = createWebhookActions({
      store: fixture.store,
      wallClock: fixture.time.wallClock,
      httpAllowed: true,
      wake: () => undefined,
    });
    const open = async (url: string): Promise<string> => {
      const parts = { store: fixture.store, wallClock: fixture.time.wallClock };
      const { accountId } = await openAccount(parts, 1);
      const settings = { url, events: ['task.completed' as const], creditsLowAt: undefined, enabled: true };
      const made = await actions.create({ accountId, actor: 'key:k' }, settings);
      assert.ok(made.kind === 'created');
      return made.webhook.webhookId;
    };
    const queue = async (webhookId: string, count: number) => {
      await fixture.queueMessages(webhookId, count);
      worker.wake();
    };
    const close = async () => {
      await worker.stop();
      await hanging.stop();
      await honest.stop();
      await fixture.close();
    };
    return { fixture, hanging, honest, attemptClock, open, queue, close };
  }

  for (const database of databases) {
    for (const accounts of [5, most]) {
      it(`of ${accounts} accounts keep no honest delivery waiting, the first time and every other, on ${database.name}`, async () => {
        const sending = await openSending(database);
        const { fixture, hanging, honest, attemptClock, open, queue } = sending;
        try {
          const honestId = await open(`http://${honestHost}:${honest.port}/`);
          const delivered = async (count: number) =>
            (await fixture.store.read.all(findDelivered, { webhook: honestId })).length === count;
          for (let n = 0; n < accounts; n += 1)
            await queue(await open(`http://${hostOf(n)}:${hanging.port}/`), 20);
          const perEndpoint = webhookLimits.sentAtOnceToEndpoint;
          const first = Math.min(accounts * perEndpoint, accounts + webhookLimits.sentAtOnce);
          await until(() => hanging.messages.length === first);

          await queue(honestId, 3);
          await until(() => delivered(3));
          assert.equal(hanging.open, first, 'all of them still hang, and no more were let in');

          // Every attempt ends; what waited behind it is tried. After two rounds all are known to hang.
          for (let round = 0; round < 2; round += 1) {
            const before = hanging.messages.length;
            attemptClock.advance(webhookLimits.attemptMs);
            await until(() => hanging.messages.length >= before + accounts);
          }
          await until(async () => (await fixture.store.read.all(findHanging, {})).length === accounts);
          const before = hanging.messages.length;
          attemptClock.advance(webhookLimits.attemptMs);
          await until(() => hanging.messages.length >= before + accounts && hanging.open === accounts);
          await queue(honestId, 3);
          await until(() => delivered(6));
          assert.equal(hanging.open, accounts, 'one for each account, in a place of its own');
          assert.deepEqual(fixture.problems, []);
        } finally {
          await sending.close();
        }
      });
    }
  }
});
