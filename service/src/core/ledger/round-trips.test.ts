import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { openAccount } from '../../../test/support/open-account.ts';
import { postgresql } from '../../../test/support/databases.ts';
import type { Connection } from '../store/connection.ts';
import { reserve, type Reservation } from './reserve.ts';
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
    const reserving = (holdId: string) => reservationOf(accountId, holdId);
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

  it('reads no hold but those that it closes, however many the account had and whatever the database guesses', async () => {
    const before = 3_000;
    let rowsRead = 0;
    const { store, execute, close } = await postgresql.open({
      wrap: (connection) => ({
        ...connection,
        execute: async (sql, values) => {
          if (!sql.startsWith('update "hold"')) return connection.execute(sql, values);
          const earlier = await holdsRead(connection);
          const result = await connection.execute(sql, values);
          rowsRead += (await holdsRead(connection)) - earlier;
          return result;
        },
      }),
    });
    const { accountId } = await openAccount({ store, ...createTestClock() }, 10_000);
    const others = Array.from({ length: 300 }, (_, other) => `other-${other}`);
    // Most accounts have had one hold, so few are expected of this one, too.
    await execute(`
      insert into account (id, name, plan, granted, available, reserved, spent, entries, touched_at, created_at)
      select unnest(array['${others.join("', '")}']), '', 'paid', 0, 0, 0, 0, 0, 0, 0;
      insert into hold (account_id, id, credits, state, charged, released, opened_at)
      select id, 'past', 1, 'settled', 1, 0, 0 from account where id like 'other-%'
      union all select '${accountId}', 'past-' || number, 1, 'settled', 1, 0, 0 from generate_series(1, ${before}) as number;
      analyze`);
    const spend = (holdId: string) =>
      store.write(async (tx) => {
        await reserve(tx, reservationOf(accountId, holdId));
        return settle(tx, { accountId, holdId, charge: 1, now: 6 });
      }, accountId);
    // From the sixth time on a statement is planned for whatever it may be asked.
    for (let time = 0; time < 10; time += 1) {
      rowsRead = 0;
      const holds = Array.from({ length: 12 }, (_, hold) => spend(`hold-${time}-${hold}`));
      assert.ok((await Promise.all(holds)).every(({ kind }) => kind === 'settled'));
      assert.ok(rowsRead <= 64, `${rowsRead} rows read to close ${holds.length} holds`);
    }
    await close();
  });
});

function reservationOf(accountId: string, holdId: string): Reservation {
  const key = { id: 'key', capped: false };
  return { accountId, key, holdId, credits: 1, ifAvailable: 1, keeper: null, now: 5 };
}

async function holdsRead(connection: Connection): Promise<number> {
  const { rows } = await connection.execute(
    `select pg_stat_get_xact_tuples_fetched('hold'::regclass) + pg_stat_get_xact_tuples_returned('hold'::regclass) as read`,
    [],
  );
  return Number((rows[0] as { read: unknown }).read);
}
