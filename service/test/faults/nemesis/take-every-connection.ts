import pg from 'pg';
import type { Installation } from './open-installation.ts';

/**
 * Takes every connection of the database, including the service's: those are ended, and we are quicker. The
 * returned function gives them back.
 */
export async function takeEveryConnection({
  postgres: { url },
}: Pick<Installation, 'postgres'>): Promise<() => Promise<void>> {
  const admin = await connect(url);
  const taken = [admin];
  const giveBack = async () => {
    await Promise.all(taken.map((client) => client.end()));
  };
  for (let triesLeft = 200; triesLeft > 0; triesLeft -= 1) {
    await takeUntilRefused(url, taken);
    const { rows } = await admin.query<{ others: number }>(countOthers);
    if (rows[0]?.others === 0) return giveBack;
    await admin.query(endOthers);
  }
  await giveBack();
  throw new Error('the service always has a connection');
}

const others = `from pg_stat_activity where backend_type = 'client backend' and application_name <> 'hog'`;
const countOthers = `select count(*)::int as others ${others}`;
const endOthers = `select pg_terminate_backend(pid) ${others}`;

async function takeUntilRefused(url: string, taken: pg.Client[]): Promise<void> {
  for (;;) {
    const attempts = await Promise.allSettled(Array.from({ length: 10 }, () => connect(url)));
    const got = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    taken.push(...got);
    if (got.length < attempts.length) return;
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'hog' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
