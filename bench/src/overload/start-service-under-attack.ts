/** A service with a quiet account and an attacker's, and mail hosts that answer quickly or take their time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorldDescription } from '@mailproof/world';
import { bareModule } from '../api/bare-module.ts';
import type { DatabaseKind } from '../api/surroundings.ts';
import { startBenchPostgres } from '../processes/bench-postgres.ts';
import { startChild } from '../processes/child.ts';
import { runMailproof, startMailproof } from '../processes/start-mailproof.ts';
import { worldModule } from '../processes/world-module.ts';

export type ServiceUnderAttack = {
  port: number;
  pid: number;
  /** Where a bare server listens, which answers at once and has nothing to do with the service. */
  barePort: number;
  /** Of the account whose wait is measured. */
  quietKey: string;
  attacker: { liveKey: string; testKey: string };
  stop(): Promise<void>;
};

export const attackPlaces = {
  /** Domains whose hosts are asked by the quiet account. */
  asked: Array.from({ length: 200 }, (_, number) => `d${number}.asked.test`),
  /** On the operator's list: a verdict without a mail host. */
  known: 'throwaway.test',
  slow: 'slow.test',
};

function describeWorld(): WorldDescription {
  const description: WorldDescription = {
    zones: {
      [attackPlaces.known]: { mx: [[10, 'mx.throwaway.test']], ttl: 86_400 },
      [attackPlaces.slow]: { mx: [[10, 'mx.slow.test']], ttl: 86_400 },
    },
    hosts: { 'mx.throwaway.test': {}, 'mx.slow.test': { latencyMs: 700 } },
  };
  for (const [number, domain] of attackPlaces.asked.entries()) {
    const host = `mx${number % 20}.asked.test`;
    description.zones[domain] = { mx: [[10, host]], ttl: 86_400 };
    description.hosts[host] = { latencyMs: 20 };
  }
  return description;
}

export async function startServiceUnderAttack(kind: DatabaseKind): Promise<ServiceUnderAttack> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bench-'));
  const internet = startChild(worldModule);
  const bare = startChild(bareModule);
  const postgres = kind === 'postgres' ? await startBenchPostgres() : undefined;
  const { environment } = await internet.ask({ kind: 'start', description: describeWorld(), options: {} });
  const database = await postgres?.createDatabase('attack');
  await database?.close();
  const listed = join(folder, 'disposable.txt');
  writeFileSync(listed, `${attackPlaces.known}\n`);
  const env = {
    ...environment,
    MAILPROOF_PORT: '0',
    MAILPROOF_DATA_DIR: join(folder, 'data'),
    MAILPROOF_DISPOSABLE_FILE: listed,
    MAILPROOF_PACING: 'off',
    // Each request is to be a probe.
    MAILPROOF_REUSE_MS: '0',
    ...(database === undefined ? {} : { MAILPROOF_DATABASE_URL: database.url }),
  };
  const openAccount = async (name: string) =>
    String(
      (await runMailproof(['accounts', 'create', '--name', name, '--credits', '1000000'], env))['account_id'],
    );
  const issueKey = async (account: string, ...flags: string[]) =>
    String((await runMailproof(['keys', 'create', account, ...flags], env))['api_key']);
  const quietKey = await issueKey(await openAccount('quiet'));
  const account = await openAccount('attacker');
  const attacker = { liveKey: await issueKey(account), testKey: await issueKey(account, '--test') };
  const service = await startMailproof({ role: 'all', env, logFile: join(folder, 'log') });
  const answer = { status: 'error', reason: 'service_unavailable' };
  const path = '/api/v1/email-verification';
  const { port: barePort } = await bare.ask([{ method: 'POST', path, status: 503, answer }]);
  return {
    port: service.port,
    pid: service.pid,
    barePort,
    quietKey,
    attacker,
    async stop() {
      await service.stop();
      await postgres?.stop();
      await internet.stop();
      await bare.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
