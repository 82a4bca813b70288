/** An API process in a world whose mail hosts are slow, so that places bind and not the processor. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorldDescription } from '@mailproof/world';
import { runCommand, type Settings } from '../../../service/test/support/mailproof.ts';
import { bareModule } from '../api/bare-process.ts';
import type { DatabaseKind } from '../api/service.ts';
import { startChild } from '../processes/child.ts';
import { startMailproof, startBenchPostgres, runMailproof } from '../processes/servers.ts';
import { worldModule } from '../processes/world-process.ts';

export type ServiceUnderLoad = {
  port: number;
  pid: number;
  keys: string[];
  /** A task of the first key's account, which stays as it is because no worker runs here. */
  task: string;
  stop(): Promise<void>;
};

/** An account has a fifth of the 500 places of a process, so 200 at once take several. */
const accounts = 4;
const hosts = 50;
/** Four replies to a verification: between 1.2 and 2.8 seconds, so that those who came together do not leave together. */
const latency = { leastMs: 300, mostMs: 700 };
const credits = 10_000_000;

/** Every domain has a mail host of its own name, so that no two requests share a conversation. */
export function domainNames(): string[] {
  return Array.from({ length: 5_000 }, (_, index) => `${String(index).padStart(8, '0')}.many.test`);
}

function describeWorld(): WorldDescription {
  const description: WorldDescription = { zones: {}, hosts: {} };
  for (let host = 0; host < hosts; host += 1) {
    const share = host / (hosts - 1);
    description.hosts[`mx${host}.slow.test`] = {
      address: addressOf(host),
      latencyMs: Math.round(latency.leastMs + share * (latency.mostMs - latency.leastMs)),
    };
  }
  for (const [index, domain] of domainNames().entries()) {
    description.zones[domain] = { mx: [[10, `mx.${domain}`]], ttl: 3_600 };
    description.zones[`mx.${domain}`] = { a: [addressOf(index % hosts)], ttl: 3_600 };
  }
  return description;
}

const addressOf = (host: number): string => `127.21.0.${host + 1}`;

export async function startServiceUnderLoad(): Promise<ServiceUnderLoad> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bench-'));
  const internet = startChild(worldModule);
  const { environment } = await internet.ask({ kind: 'start', description: describeWorld(), options: {} });
  const env = {
    ...environment,
    MAILPROOF_PORT: '0',
    MAILPROOF_DATA_DIR: join(folder, 'data'),
    MAILPROOF_PACING: 'off',
    // Each request is to be a probe.
    MAILPROOF_REUSE_MS: '0',
  };
  const keys = await openAccounts(env);
  const service = await startMailproof({ role: 'api', env, logFile: join(folder, 'log') });
  return {
    port: service.port,
    pid: service.pid,
    keys,
    task: await postTask(service.port, keys[0] ?? ''),
    async stop() {
      await service.stop();
      await internet.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openAccounts(env: Settings): Promise<string[]> {
  const keys: string[] = [];
  for (let number = 1; number <= accounts; number += 1) {
    const made = await runCommand(
      ['accounts', 'create', '--name', `bench ${number}`, '--credits', `${credits}`],
      env,
    );
    const { api_key: key } = await runCommand(['keys', 'create', String(made['account_id'])], env);
    keys.push(String(key));
  }
  return keys;
}

async function postTask(port: number, key: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/bulk-email-verification`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ emails: ['somebody@many.test'] }),
  });
  const answer: unknown = await response.json();
  if (typeof answer === 'object' && answer !== null && 'task_id' in answer) return String(answer.task_id);
  throw new Error(`the task to poll was not taken: ${response.status}`);
}

/** A service with a quiet account and an attacker's, and mail hosts that answer quickly or take their time. */
export type ServiceUnderAttack = {
  port: number;
  pid: number;
  /** Port of a bare server that answers at once and has nothing to do with the service. */
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

function describeWorldUnderAttack(): WorldDescription {
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
  const { environment } = await internet.ask({
    kind: 'start',
    description: describeWorldUnderAttack(),
    options: {},
  });
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
