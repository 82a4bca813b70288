import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from '../../../engine/test/support/test-clock.ts';
import { openAccount } from '../../test/support/open-account.ts';
import { postgresql } from '../../test/support/databases.ts';
import { reserve } from './reserve.ts';
import { settle } from './settle.ts';

describe('what a charge waits for on PostgreSQL', () => {
  it('two round trips to reserve, three to settle, and four where both are one transaction', async () => {
    let roundTrips = 0;
    const { store, close } = await postgresql.open({
      wrap: (connection) => {
        let unanswered = 0;
        let isOpen = false;
        return {
          ...connection,
          execute: async (sql, values) => {
            isOpen ||= sql.startsWith('begin');
            if (isOpen && unanswered === 0) roundTrips += 1;
            if (sql === 'commit') isOpen = false;
            unanswered += 1;
            return connection.execute(sql, values).finally(() => (unanswered -= 1));
          },
        };
      },
    });
    const { accountId } = await openAccount({ store, ...createTestClock() }, 10);
    const reserving = (holdId: string) => ({
      accountId,
      key: { id: 'key', capped: false },
      holdId,
      credits: 1,
      ifAvailable: 1,
      keeper: null,
      now: 5,
    });
    const settling = (holdId: string) => ({ accountId, holdId, charge: 1, now: 6 });
    const counted = async (work: () => Promise<unknown>): Promise<number> => {
      roundTrips = 0;
      await work();
      return roundTrips;
    };
    const write = (work: Parameters<typeof store.write>[0]) => store.write(work, accountId);
    const toReserve = await counted(() => write((tx) => reserve(tx, reserving('asked'))));
    const toSettle = await counted(() => write((tx) => settle(tx, settling('asked'))));
    const forBoth = await counted(() =>
      write(async (tx) => {
        await reserve(tx, reserving('known'));
        return settle(tx, settling('known'));
      }),
    );
    assert.deepEqual([toReserve, toSettle, forBoth], [2, 3, 4]);
    await close();
  });
});
