import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  findPostgresPrograms,
  startPrivatePostgres,
} from '../service/test/support/postgres/private-postgres.ts';
import { dropTestDatabases } from '../service/test/support/postgres/test-postgres.ts';
import { ensureDebianPackages } from './debian-packages.ts';

/**
 * `npm test`: runs `node --test` with the arguments given, beside a PostgreSQL server that all test files share. It is
 * the one that MAILPROOF_TEST_POSTGRES_URL names, or else a private one that ends with the run. The exit code is that of the tests.
 */
const variable = 'MAILPROOF_TEST_POSTGRES_URL';

async function main(args: string[]): Promise<number> {
  const given = process.env[variable];
  if (given !== undefined && given !== '') {
    const status = await runTests(args, given);
    await dropTestDatabases(given);
    return status;
  }
  await ensureDebianPackages([{ name: 'chromium', proof: '/usr/bin/chromium' }]);
  if (findPostgresPrograms() === undefined) {
    await ensureDebianPackages([{ name: 'postgresql', proof: '/usr/bin/pg_createcluster' }]);
  }
  const server = await startPrivatePostgres();
  try {
    return await runTests(args, server.url);
  } finally {
    await server.stop();
  }
}

/** A signal goes on to the tests; they end, and then we do. */
async function runTests(args: string[], url: string): Promise<number> {
  const child = spawn(process.execPath, ['--test', ...args], {
    stdio: 'inherit',
    env: { ...process.env, [variable]: url },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const [status] = (await once(child, 'exit')) as [number | null];
  return status ?? 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`mailproof: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
