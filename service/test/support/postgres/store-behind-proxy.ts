import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccount } from '../../../src/core/keys/accounts/create-account.ts';
import { reserve } from '../../../src/core/ledger/reserve.ts';
import { openPostgresStore } from '../../../src/core/store/postgres/open-postgres-store.ts';
import { postgresLimits, type PostgresLimits } from '../../../src/core/store/postgres/postgres-limits.ts';
import {
  openPostgresConnection,
  type PostgresConnection,
} from '../../../src/core/store/postgres/postgres-connection.ts';
import type { Store } from '../../../src/core/store/store.ts';
import { StoreUnavailableError } from '../../../src/core/store/store-unavailable-error.ts';
import { startProxy } from './proxy.ts';
import { createPostgresDatabase } from './test-postgres.ts';
import { listeners } from '../../../src/start/whole-store.ts';

/** A PostgreSQL store that can be cut off, made to wait and counted, and what tests do with it. */

/** Time enough for a busy machine; what is tested is said in each test. */
export const patience = {
  connectMs: 20_000,
  statementMs: 60_000,
  lockMs: 30_000,
  briefStatementMs: 60_000,
  silenceMs: 60_000,
  connectionWaitMs: 20_000,
  retryMs: 50,
};

export async function openBehindProxy(t: TestContext, limits: Partial<PostgresLimits> = {}) {
  const database = await createPostgresDatabase('migrated');
  const proxy = await startProxy(database.url);
  const connections: PostgresConnection[] = [];
  const commits = createCommitValve();
  const store = await openPostgresStore(
    { databaseUrl: proxy.url, listeners },
    {
      limits: { ...patience, ...limits },
      connect: async (options) => {
        const connection = await openPostgresConnection(options);
        connections.push(connection);
        return commits.through(connection);
      },
    },
  );
  t.after(async () => {
    await store.close();
    await proxy.close();
    await database.giveBack();
  });
  return { store, proxy, database, connections, commits };
}

/** Commits reach the database as ever; that they have happened can be kept from whoever sent them. */
function createCommitValve() {
  let held: Promise<void> | undefined;
  let tell: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => (tell = resolve));
  return {
    through: (connection: PostgresConnection): PostgresConnection => ({
      ...connection,
      execute: async (sql, values) => {
        const answer = await connection.execute(sql, values);
        if (sql !== 'commit' || held === undefined) return answer;
        tell();
        await held;
        return answer;
      },
    }),
    /** Until what it answers is called. */
    holdBack: (): (() => void) => {
      let letGo: () => void = () => undefined;
      held = new Promise((resolve) => (letGo = resolve));
      return letGo;
    },
    /** The first that was held back. */
    sent: () => sent,
  };
}

/** A connection past the store. */
export function openConnection(url: string): Promise<PostgresConnection> {
  return openPostgresConnection({ url, limits: postgresLimits(patience) });
}

export async function openAccount(store: Store, credits: number): Promise<string> {
  const parts = { store, wallClock: Date, actor: 'command_line' as const };
  return (await createAccount({ name: 'x', plan: 'paid', credits }, parts)).accountId;
}

/** Reserves a credit. */
export function take({ write }: Pick<Store, 'write'>, accountId: string) {
  const keeper = { processId: 'here', expiresAt: 2 ** 50 };
  return write(
    (tx) =>
      reserve(tx, {
        accountId,
        credits: 1,
        key: { id: 'key', capped: false },
        ifAvailable: 1,
        keeper,
        now: 1,
      }),
    accountId,
  );
}

/** Again and again until it works. */
export async function recovered(work: () => Promise<unknown>): Promise<void> {
  for (let triesLeft = 600; ; triesLeft -= 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isUnavailable(error) || triesLeft === 0) throw error;
      await sleep(50);
    }
  }
}

export function isUnavailable(error: unknown, fault?: string): boolean {
  return error instanceof StoreUnavailableError && (fault === undefined || error.fault === fault);
}
