import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPrivatePostgres, type PrivatePostgres } from '@mailproof/world/database';
import { startProxy } from '../../support/postgres/proxy.ts';

/**
 * Two servers under one address: a primary, and a synchronous standby without which it acknowledges nothing. So
 * everything acknowledged is on both.
 */
type ReplicatedPostgres = {
  /** The replicated server at the one address. `stop` ends it. */
  postgres: PrivatePostgres;
  /** Kills the primary at once, and leads the address to the standby, which is still read-only. */
  losePrimary(): Promise<void>;
  /** Resolves when the standby takes writes. */
  promoteStandby(): Promise<void>;
};

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const primary = await startPrivatePostgres({ maxConnections: 200 });
  const standby = await startPrivatePostgres({ maxConnections: 200, standbyOf: primary });
  const proxy = await startProxy(primary.url);
  await ask(primary.url, `alter system set synchronous_standby_names = '*'`);
  await ask(primary.url, 'select pg_reload_conf()');
  await untilSynchronous(primary.url);
  const stop = async () => {
    await proxy.close();
    await primary.stop();
    await standby.stop();
  };
  return {
    postgres: { ...primary, url: proxy.url, stop },
    losePrimary: async () => {
      await primary.halt('immediate');
      proxy.leadTo(standby.url);
    },
    promoteStandby: async () => {
      await ask(standby.url, 'select pg_promote(wait => true)');
    },
  };
}

async function untilSynchronous(url: string): Promise<void> {
  for (let triesLeft = 600; triesLeft > 0; triesLeft -= 1) {
    const rows = await ask(url, `select 1 from pg_stat_replication where sync_state = 'sync'`);
    if (rows.length === 1) return;
    await sleep(50);
  }
  throw new Error('the standby does not follow');
}

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
